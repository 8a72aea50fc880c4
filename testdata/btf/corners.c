/*
 * Layouts that are easy to get wrong. sample.c has the ordinary ones. With
 * -DOFFSETS this is a program that prints where the compiler put things; see
 * README.md.
 */
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef u32 again;
typedef const again deep;

enum big { BIG_ONE = 1, BIG_HUGE = 0xfedcba9876543210ull };
enum below { BELOW_MIN = -2147483647 - 1, BELOW_ONE = -1, BELOW_TWO = 2 };
enum wide_below { WIDE_BELOW = -5000000000ll, WIDE_ABOVE = 5000000000ll };
enum tiny { TINY_NONE, TINY_LAST = 255 } __attribute__((packed));
enum { CORNER_A = 7, CORNER_B = 9 };

struct bits {
	u8 lead;
	u32 a:3;
	int b:7;
	u32 c:12;
	u64 d:33;
	u64 e:31;
	long long f:64;
	u16 g:16;
	_Bool on:1;
	enum below kind:4;
};

struct __attribute__((packed)) packed {
	u8 first;
	u32 second;
	u64 straddle:61;
	u32 next:9;
	u16 odd;
};

union choice {
	u32 all;
	struct { u32 low:4, mid:20, high:8; };
	struct {
		u8 byte;
		union {
			u16 word;
			struct { u8 inner; u8 outer; };
		};
	} named;
	u64 flag:1;
};

struct nest {
	int before;
	union {
		struct {
			long x;
			union {
				struct { u32 deep_a, deep_b:5, deep_c:11; };
				u64 deep_all;
			};
		};
		char text[32];
	};
	struct { int in_named; } inner;
	deep last;
	int tail[];
};

struct matrix {
	const char *names[2][3];
	int (*table[4])(struct nest *n, const char *fmt, ...);
	int (*(*getter)(int which))(void);
	volatile u32 *const regs;
	char (*row)[16];
	unsigned __int128 wide;
	long double ld;
	u8 empty[0];
};

struct empty { };
struct only_declared;

int take_bits(struct bits *b, struct packed *p, union choice *c, struct nest *n, struct matrix *m)
{
	return b->a + p->second + c->low + n->before + (m->wide != 0);
}
int take_nine(int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9)
{
	return a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;
}
int take_enums(enum big b, enum below w, enum wide_below v, enum tiny t) { return b + w + v + t + CORNER_A; }
int take_const(const struct nest *const restrict n, volatile int *v) { return n->before + *v; }
struct only_declared *take_opaque(struct only_declared *o, struct empty *e) { return e ? o : 0; }
int (*take_handler(int sig, int (*handler)(int)))(int) { return sig ? handler : 0; }
int take_rest(int n, ...) { return n; }
void take_none(void) { }

/* Objects in registers. */
union either { u64 x; u32 y; u8 b[8]; signed char s[8]; u16 net; struct { u64 low:1, mid:35, high:28; }; };
struct arrays { u8 b[6]; u16 w[2]; u32 t; };
struct letters { char c[12]; };
struct __attribute__((packed)) across { u64 a:40, b:48, c:40; };
struct __attribute__((packed)) unaligned { u8 a; u64 b; u32 c; };
struct __attribute__((packed)) nine { u8 a:3; u64 b:62; long long c:60; };
struct flat { int a[2][3]; u8 long_one[100]; u64 many[70]; u32 three[3]; };
/* What the kernel is given as two pointers' worth of registers. */
struct file_offset {
	union {
		struct { void *file; union either offset; };
		struct { u32 skipped; u8 middle[8]; u32 rest; };
		struct across across;
	};
};
int take_either(union either t, int after) { return t.x + after; }
int take_arrays(struct arrays t, int after) { return t.b[0] + after; }
int take_letters(struct letters t, int after) { return t.c[0] + after; }
int take_across(struct across t, int after) { return t.b + after; }
int take_unaligned(struct unaligned t, int after) { return t.b + after; }
int take_flat(struct flat *f, struct unaligned *u, int (*rows)[3]) { return f->a[1][2] + u->b + rows[1][2]; }
u64 take_nine_bytes(struct nine *p) { return p->b + p->c; }
union either give_union(void) { union either u = { 1 }; return u; }
long long generic_file_llseek(struct file_offset f, int whence) { return f.offset.x + whence; }

#ifdef OFFSETS
#include <stdio.h>
#include <string.h>

static void field(const char *type, const char *name, const u8 *image, size_t size)
{
	size_t first = 0, count = 0;
	for (size_t i = 0; i < size * 8; i++)
		if (image[i / 8] >> i % 8 & 1) {
			if (!count++)
				first = i;
		}
	printf("%s\t%s\t%zu\t%zu\tbits\n", type, name, first, count);
}

#define BITS(type, name) do { union { type t; u8 image[sizeof(type)]; } u; \
	memset(&u, 0, sizeof u); u.t.name = -1; field(#type, #name, u.image, sizeof u); } while (0)
#define BYTES(type, name) printf("%s\t%s\t%zu\t%zu\tbytes\n", #type, #name, offsetof(type, name), sizeof(((type *)0)->name))
#define FLEXIBLE(type, name) printf("%s\t%s\t%zu\t0\tbytes\n", #type, #name, offsetof(type, name))
#define SIZE(type) printf("%s\t\t0\t%zu\tsize\n", #type, sizeof(type))

int main(void)
{
	SIZE(struct bits); SIZE(struct packed); SIZE(union choice); SIZE(struct nest); SIZE(struct matrix);
	SIZE(struct empty); SIZE(enum big); SIZE(enum below); SIZE(enum wide_below); SIZE(enum tiny);
	BYTES(struct bits, lead);
	BITS(struct bits, a); BITS(struct bits, b); BITS(struct bits, c); BITS(struct bits, d); BITS(struct bits, e);
	BITS(struct bits, f); BITS(struct bits, g); BITS(struct bits, on); BITS(struct bits, kind);
	BYTES(struct packed, first); BYTES(struct packed, second);
	BITS(struct packed, straddle); BITS(struct packed, next); BYTES(struct packed, odd);
	BYTES(union choice, all); BITS(union choice, low); BITS(union choice, mid); BITS(union choice, high);
	BYTES(union choice, named); BITS(union choice, flag);
	BYTES(struct nest, before); BYTES(struct nest, x); BYTES(struct nest, deep_a);
	BITS(struct nest, deep_b); BITS(struct nest, deep_c); BYTES(struct nest, deep_all);
	BYTES(struct nest, text); BYTES(struct nest, inner); BYTES(struct nest, last); FLEXIBLE(struct nest, tail);
	BYTES(struct matrix, names); BYTES(struct matrix, table); BYTES(struct matrix, getter);
	BYTES(struct matrix, regs); BYTES(struct matrix, row); BYTES(struct matrix, wide);
	BYTES(struct matrix, ld); BYTES(struct matrix, empty);
	return 0;
}
#endif
