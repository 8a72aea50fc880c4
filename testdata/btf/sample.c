/*
 * Every kind of type that BTF knows, in the manner of the kernel's sources.
 * See README.md for how sample.btf is made of it.
 */
typedef unsigned char u8, __u8;
typedef unsigned short u16, __u16, umode_t;
typedef unsigned int u32, __u32;
typedef unsigned long long u64, __u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64, loff_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef __u16 __be16;
typedef __u32 __be32;
typedef _Bool bool;

typedef struct { int counter; } atomic_t;
typedef struct { atomic_t refs; } refcount_t;
typedef struct { unsigned int val; } kuid_t;

struct list_head { struct list_head *next, *prev; };

enum pkt_kind { PKT_HOST, PKT_BROADCAST, PKT_OUTGOING = 4 };
enum { STATE_UP = 1, STATE_DOWN = 2 };
enum level { LEVEL_LOW = -2, LEVEL_HIGH = 2 };

struct opaque;
struct dev;
struct pkt;

struct in6_addr { union { u8 u6_addr8[16]; __be32 u6_addr32[4]; }; };

struct ops {
	int (*open)(struct dev *dev, const char *name);
	void (*close)(void);
};

struct dev {
	char name[16];
	const struct ops *ops;
	unsigned char perm_addr[32];
	unsigned char mac[6];
	int ifindex;
	unsigned int mtu;
	struct list_head list;
	refcount_t refs;
	kuid_t uid;
	struct in6_addr addr6;
	struct opaque *priv;
	struct dev *parent;
	const char *alias;
	char __pad[3000];
	u64 tail;
};

struct path { struct dev *mnt; struct pkt *dentry; };
struct small { u32 a; u16 b; u16 c; };
struct wide { u64 a; u64 b; };
struct huge { u64 a, b, c; };
struct floating { double d; };

struct pkt {
	union {
		struct {
			struct pkt *next;
			struct dev *dev;
		};
		struct list_head list;
	};
	struct sock *sk;
	u32 len, data_len;
	__be16 protocol;
	__be32 saddr, daddr;
	u8 cloned:1, kind:3, :2, last:2;
	int delta:5;
	u32 wide_bits:31;
	enum pkt_kind type;
	enum level level;
	bool fast;
	char tag;
	umode_t mode;
	loff_t pos;
	char cb[48];
	u16 ports[4];
	u32 grid[2][3];
	struct dev *devs[4];
	struct list_head lists[2];
	void *private;
	void (*destructor)(struct pkt *pkt);
	volatile const unsigned long flags;
	__int128 huge;
	struct path path;
	char *const *argv;
	u64 many[600];
	u8 tail[];
};

int pkt_rcv(struct pkt *pkt, struct dev *dev, u16 proto, bool fast) { return pkt->len + dev->mtu + proto + fast; }
void pkt_free(struct pkt *pkt) { pkt->len = 0; }
struct pkt *pkt_alloc(const struct dev *restrict dev, size_t size) { return (void *)dev + size; }
long dev_open(int dfd, const char *filename, umode_t mode) { return dfd + mode + *filename; }
int many_args(int a, long b, char c, short d, u8 e, u64 f, int g, short h, struct dev *i) { return a + b + c + d + e + f + g + h + i->mtu; }
int by_value(struct small s, struct wide w, struct dev *dev) { return s.a + w.b + dev->mtu; }
int by_memory(struct huge h, struct dev *dev) { return h.a + dev->mtu; }
struct huge give_huge(struct dev *dev) { return (struct huge){ dev->mtu }; }
struct small give_small(struct dev *dev) { return (struct small){ dev->mtu }; }
int by_path(struct path path, int x) { return path.mnt->mtu + x; }
int int128(__int128 big, int after) { return big + after; }
int int128_second(int before, __int128 big, int after) { return before + big + after; }
int floats(int a, double d, int b) { return a + d + b; }
int by_floating(struct floating f, int b) { return f.d + b; }
int variadic(const char *fmt, ...) { return *fmt; }
int lists(struct list_head *node, char **argv, u8 *raw) { return node->next != 0 && argv && *raw; }
void nothing(void) { }
enum pkt_kind pkt_kind(struct pkt *pkt, enum pkt_kind kind) { return pkt->type + kind + STATE_UP; }
