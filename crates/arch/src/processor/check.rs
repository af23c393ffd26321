//! The check itself: assembly that runs before `main` on Linux.

use core::arch::naked_asm;

use super::{ADDED_FEATURES, BUILD_LEVEL, FeatureWords, LEVELS};

/// A text that assembly prints. The layout is fixed because assembly reads it.
#[repr(C)]
struct Text {
    start: *const u8,
    len: usize,
}

// SAFETY: the pointer is to a string constant, which never changes.
unsafe impl Sync for Text {}

impl Text {
    const fn new(text: &'static str) -> Text {
        Text { start: text.as_ptr(), len: text.len() }
    }
}

/// The two halves of the message: entry 0 is the first half, which depends on the level of the
/// build, and entry N is the second half for a processor of level N.
static MESSAGE: [Text; LEVELS] = [
    Text::new(match BUILD_LEVEL {
        4 => "castellan: this build needs a processor with x86-64-v4 (AVX-512); ",
        3 => "castellan: this build needs a processor with x86-64-v3 (AVX2, BMI2, FMA); ",
        _ => "castellan: this build needs a processor with x86-64-v2 (SSE4.2, POPCNT); ",
    }),
    Text::new(
        "this processor is too old for every archive, so build castellan from source on it\n",
    ),
    Text::new("this processor can run the archive whose name ends in x86_64-linux-v2\n"),
    Text::new("this processor can run the archive whose name ends in x86_64-linux-v3\n"),
];

/// Runs [`check`] before `main` and before the initializers of the standard library.
#[used]
// SAFETY: the section holds pointers to C functions that the loader calls once, before any other
// code of the program. `check` is such a function and needs nothing to be initialized.
#[unsafe(link_section = ".init_array.00000")]
static CHECK: extern "C" fn() = check;

/// Ends the process with a message and exit code 2 if the processor's level is below the build's.
#[unsafe(naked)]
extern "C" fn check() {
    naked_asm!(
        "push rbx",
        // Room for the feature words, four of four bytes.
        "sub rsp, 16",
        "mov rdi, rsp",
        "call {read}",
        "mov rdi, rsp",
        "call {level}",
        "add rsp, 16",
        "cmp eax, {build}",
        "jb 2f",
        "pop rbx",
        "ret",
        // The process ends here, so `r12` need not be restored. A `Text` has 16 bytes: `rbx` gets
        // the address of the second half.
        "2:",
        "mov ebx, eax",
        "shl ebx, 4",
        "lea r12, [rip + {message}]",
        "add rbx, r12",
        // Calls `write(2, text, len)` for both halves.
        "mov eax, 1",
        "mov edi, 2",
        "mov rsi, [r12]",
        "mov rdx, [r12 + 8]",
        "syscall",
        "mov eax, 1",
        "mov edi, 2",
        "mov rsi, [rbx]",
        "mov rdx, [rbx + 8]",
        "syscall",
        // Calls `exit_group(2)`.
        "mov eax, 231",
        "mov edi, 2",
        "syscall",
        "ud2",
        read = sym read_words,
        level = sym level,
        build = const BUILD_LEVEL,
        message = sym MESSAGE,
    )
}

/// Reads the feature words of this processor.
#[unsafe(naked)]
pub(super) extern "C" fn read_words(words: &mut FeatureWords) {
    naked_asm!(
        "push rbx",
        "xor eax, eax",
        "cpuid",
        "mov r8d, eax",
        "mov eax, 1",
        "cpuid",
        "mov [rdi], ecx",
        "mov r9d, ecx",
        // Read leaf 7 only if the processor has it: older ones return the contents of another
        // leaf.
        "xor ebx, ebx",
        "cmp r8d, 7",
        "jb 2f",
        "mov eax, 7",
        "xor ecx, ecx",
        "cpuid",
        "2:",
        "mov [rdi + 4], ebx",
        "mov eax, 0x80000001",
        "cpuid",
        "mov [rdi + 8], ecx",
        // XCR0 can be read only if OSXSAVE is set.
        "xor eax, eax",
        "bt r9d, 27",
        "jnc 3f",
        "xor ecx, ecx",
        "xgetbv",
        "3:",
        "mov [rdi + 12], eax",
        "pop rbx",
        "ret",
    )
}

/// Returns the highest level whose requirements, including those of all lower levels, `words`
/// meets.
#[unsafe(naked)]
pub(super) extern "C" fn level(words: &FeatureWords) -> u32 {
    naked_asm!(
        // Every processor has level 1. Each turn of the loop tests the next one: `rsi` points to the
        // four words that it adds.
        "lea rsi, [rip + {added}]",
        "mov eax, 1",
        "2:",
        "add rsi, 16",
        "mov ecx, [rdi]",
        "not ecx",
        "test [rsi], ecx",
        "jnz 3f",
        "mov ecx, [rdi + 4]",
        "not ecx",
        "test [rsi + 4], ecx",
        "jnz 3f",
        "mov ecx, [rdi + 8]",
        "not ecx",
        "test [rsi + 8], ecx",
        "jnz 3f",
        "mov ecx, [rdi + 12]",
        "not ecx",
        "test [rsi + 12], ecx",
        "jnz 3f",
        "inc eax",
        "cmp eax, {levels}",
        "jb 2b",
        "3:",
        "ret",
        added = sym ADDED_FEATURES,
        levels = const LEVELS,
    )
}
