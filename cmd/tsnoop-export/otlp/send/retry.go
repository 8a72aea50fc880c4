package send

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// The pauses between attempts grow from the first to the longest.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	longFailure  = time.Second // after which the user wants to know
)

// state is what is known of the collector, for all requests.
type state struct {
	answered time.Time // when it has taken a request, or refused one for good
	until    time.Time // it asks not to be sent anything before
	ends     time.Time // when Close has begun; zero before
	failing  time.Time // since when nothing is taken; zero if something was
	warned   bool      // about that
}

// deliver sends a request until it is taken or given up.
func (c *Client) deliver(r *request) {
	begun, pause := time.Now(), firstPause
	for retry := false; c.ready(r, retry); retry = true {
		a := c.targets[r.signal].post(c.ctx, r)
		if c.took(r, &a) || c.givesUp(r, &a, begun) {
			return
		}
		// Workers that failed together do not come back together.
		c.sleep(max(a.after, pause/2+rand.N(pause/2)))
		pause = min(2*pause, longestPause)
	}
}

// ready waits while the collector asks for that, and reports whether to make an attempt. If the
// collector was given up, or the export interrupted, it counts the request.
func (c *Client) ready(r *request, retry bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		wait := time.Until(c.until)
		switch {
		case c.dead != nil:
			c.counts.GivenUp += uint64(r.n)
			return false
		case c.ctx.Err() != nil:
			c.counts.Left += uint64(r.n)
			return false
		case wait > 0 && !c.late(time.Now()):
			c.mu.Unlock()
			c.sleep(wait)
			c.mu.Lock()
		case retry:
			c.counts.Retries++
			return true
		default:
			return true
		}
	}
}

// sleep waits, at most until the collector would be given up.
func (c *Client) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	for {
		c.mu.Lock()
		from, ending := c.patience(), c.ending
		if !c.ends.IsZero() {
			ending = nil
		}
		c.mu.Unlock()
		var late <-chan time.Time
		if !from.IsZero() {
			late = time.After(time.Until(from.Add(c.o.Retry)))
		}
		select {
		case <-ending: // there is an end now
			continue
		case <-t.C:
		case <-late:
		case <-c.ctx.Done():
		}
		return
	}
}

// took counts what an answer says of a request, and reports whether that was the last word.
func (c *Client) took(r *request, a *answer) bool {
	if a.retry || c.ctx.Err() != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.warned {
		c.o.Warn("the collector answers again")
	}
	c.answered, c.failing, c.warned = time.Now(), time.Time{}, false
	switch {
	case a.err != nil:
		c.refused(&c.counts.Refused, uint64(r.n), a.err.Error())
	case a.rejected > 0:
		c.refused(&c.counts.Partial, min(uint64(r.n), a.rejected), a.text)
	case a.text != "":
		c.o.Warn("the collector says: %s", a.text)
	}
	return true
}

// refused counts items that the collector does not want, and reports the first.
func (c *Client) refused(count *uint64, n uint64, why string) {
	if *count == 0 {
		c.o.Warn("the collector does not take all: %s", why)
	}
	*count += n
	c.counts.Cause = why
}

// givesUp reports whether a request that was not taken is given up, and counts it.
func (c *Client) givesUp(r *request, a *answer, begun time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		c.counts.Left += uint64(r.n)
		return true
	}
	now := time.Now()
	if c.failing.IsZero() {
		c.failing = now
	} else if !c.warned && now.Sub(c.failing) >= longFailure {
		c.warned = true
		c.o.Warn("the collector takes nothing now: %v; calls wait, at most %d MiB of them", a.err, c.o.Most>>20)
	}
	if a.after > 0 {
		if until := now.Add(a.after); until.After(c.until) {
			c.until = until
		}
	}
	switch {
	case a.fatal && c.answered.IsZero():
		c.die(a.err)
	case c.late(now):
		c.die(fmt.Errorf("the collector has taken nothing for %v: %w", c.o.Retry, a.err))
	case now.Sub(begun) < c.o.Retry || c.answered.Before(begun):
		return false
	} // or it takes others, but not this one
	c.counts.GivenUp += uint64(r.n)
	c.counts.Cause = a.err.Error()
	return true
}

// patience returns from when on the collector has time to take something, before it is given
// up. The time is zero if it has all the time: calls wait in memory, while others come.
func (c *Client) patience() time.Time {
	from := c.failing
	if !c.ends.IsZero() {
		from = c.ends
	} else if !c.o.Wait {
		return time.Time{}
	}
	if c.answered.After(from) {
		return c.answered
	}
	return from
}

// late reports whether the collector has taken nothing for too long.
func (c *Client) late(now time.Time) bool {
	from := c.patience()
	return !from.IsZero() && now.Sub(from) >= c.o.Retry
}

// die gives up the collector.
func (c *Client) die(err error) {
	if c.dead == nil {
		c.dead = err
		c.changed.Broadcast()
	}
}
