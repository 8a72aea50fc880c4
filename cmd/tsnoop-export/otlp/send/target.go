package send

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/otlpjson"
	"github.com/tsnoop/tsnoop/render"
)

// A target is where the requests of a signal are sent.
type target struct {
	*env.Target
	signal env.Signal
	agent  string
	client *http.Client

	line []byte       // the last body as JSON
	zip  *gzip.Writer // of the last body
}

// newTarget returns nil if the signal is sent nowhere.
func newTarget(s env.Signal, from *env.Target, o *Options) (*target, error) {
	if from.URL == "" {
		return nil, nil
	}
	t := &target{Target: from, signal: s, agent: o.Agent, client: &http.Client{Transport: o.RoundTripper}}
	// A redirection would turn a POST into a GET, or send headers elsewhere.
	t.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if o.RoundTripper != nil {
		return t, nil
	}
	trusted, err := trust(from)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trusted
	transport.MaxIdleConnsPerHost = o.Workers
	t.client.Transport = transport
	return t, nil
}

// pack appends the body of a request as it is sent to an empty buffer. It is used by one
// goroutine.
func (t *target) pack(dst, body []byte) []byte {
	if t.JSON {
		t.line = otlpjson.Append(t.line[:0], t.signal, body)
		body = t.line
	}
	if !t.Gzip {
		return append(dst, body...)
	}
	b := bytes.NewBuffer(dst)
	if t.zip == nil {
		t.zip, _ = gzip.NewWriterLevel(b, gzip.BestSpeed)
	}
	t.zip.Reset(b)
	t.zip.Write(body)
	t.zip.Close()
	return b.Bytes()
}

// An answer is what has become of an attempt.
type answer struct {
	err      error         // it was not taken; escaped
	retry    bool          // a later attempt may succeed
	fatal    bool          // unless something was taken before, none will
	after    time.Duration // not earlier
	rejected uint64        // items that were not taken, of a request that was
	text     string        // what the collector says; escaped
}

// post makes one attempt.
func (t *target) post(ctx context.Context, r *request) answer {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(r.body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("User-Agent", t.agent)
	req.Header.Set("Content-Type", t.form())
	if t.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	for key, values := range t.Header {
		req.Header[key] = values
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return t.failed(err)
	}
	defer resp.Body.Close()
	const most = 64 << 10 // of an answer
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil && resp.StatusCode/100 == 2 {
		return t.failed(err)
	}
	return t.read(resp, body)
}

// form returns the type of bodies.
func (t *target) form() string {
	if t.JSON {
		return "application/json"
	}
	return "application/x-protobuf"
}

// failed returns the answer for an attempt that had none.
func (t *target) failed(err error) answer {
	a := answer{retry: true}
	var wrong *tls.CertificateVerificationError
	var dns *net.DNSError
	a.fatal = errors.As(err, &wrong) || errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &dns) && dns.IsNotFound
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	text := escaped(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("no answer within %v", t.Timeout)
	}
	a.err = fmt.Errorf("%s: %s", t.URL, text)
	return a
}

// read understands an answer.
func (t *target) read(resp *http.Response, body []byte) (a answer) {
	if resp.StatusCode/100 == 2 {
		a.rejected, a.text = t.partial(body)
		a.text = escaped(a.text)
		return a
	}
	text := resp.Status
	if why := t.status(body); why != "" {
		text += ": " + why
	}
	a.err = fmt.Errorf("%s: %s", t.URL, escaped(text))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		a.retry = true
		a.after = after(resp.Header.Get("Retry-After"))
	}
	return a
}

// after returns how long to wait: a number of seconds, or until a time of day.
func after(text string) time.Duration {
	const most = time.Hour
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, most)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), most)
	}
	return 0
}

// escaped returns text of others for the terminal, shortened.
func escaped(text string) string {
	const most = 300
	if len(text) > most {
		text = text[:most] + "..."
	}
	return string(render.AppendEscaped(nil, []byte(text), render.NoQuote))
}

// trust returns how to use TLS.
func trust(t *env.Target) (*tls.Config, error) {
	c := &tls.Config{}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("certificates to trust: %w", err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, program.Errorf("name a file of certificates in PEM", "%s has no certificate", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("the certificate of this client: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
