/*
 * A module on top of testdata/btf/sample.c: it defines what that only
 * declares, has a pkt_free of its own, and a struct with anonymous members
 * behind others, which the sample lacks.
 */
struct pkt;
struct opaque { int secret; struct pkt *pkt; };
struct mod_priv { struct opaque o; unsigned int flags; };
enum mod_state { MOD_DOWN, MOD_UP };
typedef struct mod_priv mod_priv_t;

/* Anonymous members that are not at the start, in one another. */
struct mod_frame {
	unsigned int head;
	union {
		unsigned long word;
		struct {
			unsigned short low;
			struct {
				unsigned char pad;
				unsigned char first:3, second:4;
				unsigned int inner;
			};
		};
	};
	struct { unsigned int a:7, b:20; };
	unsigned long end;
};

int mod_rcv(mod_priv_t *priv, struct pkt *pkt) { return priv->flags + (pkt != 0); }
enum mod_state mod_state(struct mod_priv *priv) { return priv->flags ? MOD_UP : MOD_DOWN; }
int mod_frame(struct mod_frame *f) { return f->inner + f->b; }
int pkt_free(struct pkt *pkt, int how) { return pkt != 0 && how; }
