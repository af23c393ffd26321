// Network files ("CASTNNUE") on the host: reading, checking, and random networks for tests.
#pragma once

#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "net.h"

struct NetFile {
    int hidden = 0, buckets = 1;
    u8 bucket_of[64] = {};
    std::string name;
    std::vector<i16> weights;  // [buckets * 768][hidden]
    std::vector<i16> bias;     // [hidden]
    std::vector<i16> output;   // [8][2 * hidden]
    std::vector<i32> output_bias;
};

// SHA-256, as FIPS 180-4 defines it.
inline std::vector<u8> sha256(const u8* data, size_t length) {
    // The constants are fractional parts of roots of the first primes; computing them avoids a table.
    static u32 round_constant[64], initial[8];
    if (!initial[0]) {
        int found = 0;
        for (int number = 2; found < 64; ++number) {
            bool is_prime = true;
            for (int divisor = 2; divisor * divisor <= number; ++divisor) {
                is_prime &= number % divisor != 0;
            }
            if (is_prime) {
                long double cube = cbrtl((long double)number), square = sqrtl((long double)number);
                round_constant[found] = (u32)((cube - floorl(cube)) * 4294967296.0L);
                if (found < 8) {
                    initial[found] = (u32)((square - floorl(square)) * 4294967296.0L);
                }
                found += 1;
            }
        }
    }
    auto rotate = [](u32 x, int by) { return x >> by | x << (32 - by); };
    std::vector<u8> tail(data + length / 64 * 64, data + length);
    tail.push_back(0x80);
    while (tail.size() % 64 != 56) {
        tail.push_back(0);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        tail.push_back((u8)((u64)length * 8 >> shift));
    }
    u32 state[8];
    memcpy(state, initial, sizeof state);
    size_t whole = length / 64, blocks = whole + tail.size() / 64;
    for (size_t block = 0; block < blocks; ++block) {
        const u8* bytes = block < whole ? data + block * 64 : &tail[(block - whole) * 64];
        u32 w[64];
        for (int i = 0; i < 16; ++i) {
            w[i] = (u32)bytes[4 * i] << 24 | bytes[4 * i + 1] << 16 | bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
        }
        for (int i = 16; i < 64; ++i) {
            u32 a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
            u32 b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + a + w[i - 7] + b;
        }
        u32 s[8];
        memcpy(s, state, sizeof s);
        for (int i = 0; i < 64; ++i) {
            u32 sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
            u32 choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
            u32 first = s[7] + sum1 + choice + round_constant[i] + w[i];
            u32 sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
            u32 majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            memmove(s + 1, s, 7 * sizeof(u32));
            s[4] += first;
            s[0] = first + sum0 + majority;
        }
        for (int i = 0; i < 8; ++i) {
            state[i] += s[i];
        }
    }
    std::vector<u8> digest;
    for (u32 word : state) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            digest.push_back((u8)(word >> shift));
        }
    }
    return digest;
}

inline std::vector<u8> read_bytes(const std::string& path) {
    FILE* file = fopen(path.c_str(), "rb");
    if (!file) {
        throw std::runtime_error("cannot open " + path);
    }
    std::vector<u8> bytes;
    u8 buffer[65536];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        bytes.insert(bytes.end(), buffer, buffer + got);
    }
    fclose(file);
    return bytes;
}

// Reads numbers from the front of a file. They are little-endian, as are all machines this runs on.
struct ByteReader {
    const std::vector<u8>& bytes;
    std::string path;
    size_t at = 0;

    void take(void* to, size_t length) {
        if (length > bytes.size() - at) {
            throw std::runtime_error(path + ": ends at byte " + std::to_string(bytes.size()) + ", too early");
        }
        memcpy(to, &bytes[at], length);
        at += length;
    }
    template <typename T>
    T number() {
        T value;
        take(&value, sizeof value);
        return value;
    }
    template <typename T>
    std::vector<T> numbers(size_t count) {
        if (count * sizeof(T) > bytes.size() - at) {
            throw std::runtime_error(path + ": ends at byte " + std::to_string(bytes.size()) + ", too early");
        }
        std::vector<T> values(count);
        take(values.data(), count * sizeof(T));
        return values;
    }
    void check(bool is_good, const char* problem) {
        if (!is_good) {
            throw std::runtime_error(path + ": byte " + std::to_string(at) + ": " + problem);
        }
    }
};

// The widths that the kernels are compiled for.
inline bool is_known_width(int width) {
    return width == 128 || width == 256 || width == 512 || width == 768 || width == 1024;
}

inline NetFile read_net(const std::string& path) {
    std::vector<u8> bytes = read_bytes(path);
    ByteReader in{bytes, path};
    NetFile net;
    char magic[8];
    in.take(magic, 8);
    in.check(memcmp(magic, "CASTNNUE", 8) == 0, "the file is not a network");
    in.check(in.number<u32>() == 1, "only version 1 is supported");
    u32 hidden = in.number<u32>(), buckets = in.number<u32>(), outputs = in.number<u32>();
    in.check(is_known_width((int)hidden), "width must be 128, 256, 512, 768 or 1024");
    in.check(buckets >= 1 && buckets <= 16, "there must be 1 to 16 input buckets");
    in.check(outputs == OUTPUT_BUCKETS, "there must be 8 output buckets");
    u16 qa = in.number<u16>(), qb = in.number<u16>(), scale = in.number<u16>(), zero = in.number<u16>();
    in.check(qa == QA && qb == QB && scale == SCALE && zero == 0, "scales must be 255, 64 and 400");
    in.take(net.bucket_of, 64);
    for (int square = 0; square < 64; ++square) {
        in.check((square & 7) >= 4 || net.bucket_of[square] < buckets, "a square has no such bucket");
    }
    u16 length = in.number<u16>();
    std::vector<u8> name = in.numbers<u8>(length), digest = in.numbers<u8>(32);
    net.name.assign(name.begin(), name.end());
    in.check(sha256(bytes.data() + in.at, bytes.size() - in.at) == digest, "the digest does not match");
    net.hidden = (int)hidden;
    net.buckets = (int)buckets;
    net.weights = in.numbers<i16>((size_t)buckets * 768 * hidden);
    net.bias = in.numbers<i16>(hidden);
    net.output = in.numbers<i16>((size_t)OUTPUT_BUCKETS * 2 * hidden);
    net.output_bias = in.numbers<i32>(OUTPUT_BUCKETS);
    in.check(in.at == bytes.size(), "something follows the network");
    for (i16 weight : net.output) {
        in.check(weight >= -127 && weight <= 127, "an output weight is beyond 127");
    }
    return net;
}

inline void write_net(const NetFile& net, const std::string& path) {
    std::vector<u8> body, head;
    auto append = [](std::vector<u8>& to, const void* from, size_t length) {
        to.insert(to.end(), (const u8*)from, (const u8*)from + length);
    };
    append(body, net.weights.data(), net.weights.size() * 2);
    append(body, net.bias.data(), net.bias.size() * 2);
    append(body, net.output.data(), net.output.size() * 2);
    append(body, net.output_bias.data(), net.output_bias.size() * 4);
    append(head, "CASTNNUE", 8);
    u32 numbers[4] = {1, (u32)net.hidden, (u32)net.buckets, OUTPUT_BUCKETS};
    append(head, numbers, sizeof numbers);
    u16 scales[4] = {QA, QB, SCALE, 0}, length = (u16)net.name.size();
    append(head, scales, sizeof scales);
    append(head, net.bucket_of, 64);
    append(head, &length, 2);
    append(head, net.name.data(), length);
    std::vector<u8> digest = sha256(body.data(), body.size());
    append(head, digest.data(), digest.size());
    FILE* file = fopen(path.c_str(), "wb");
    if (!file || fwrite(head.data(), 1, head.size(), file) != head.size() ||
        fwrite(body.data(), 1, body.size(), file) != body.size() || fclose(file) != 0) {
        throw std::runtime_error("cannot write " + path);
    }
}

// Returns a network that counts material, with noise in every weight. It plays like a beginner and
// uses every part of the formula.
inline NetFile random_net(int hidden, int buckets, u64 seed) {
    std::mt19937_64 random(seed);
    auto within = [&](int limit) { return (int)(random() % (2 * limit + 1)) - limit; };
    NetFile net;
    net.hidden = hidden;
    net.buckets = buckets;
    net.name = "random " + std::to_string(seed);
    for (int square = 0; square < 64; ++square) {
        net.bucket_of[square] = (u8)((square & 7) * buckets / 4 % buckets);
    }
    const int worth[6] = {4, 12, 13, 20, 38, 0};
    for (int row = 0; row < buckets * 768; ++row) {
        bool is_own = row % 768 < 384;
        int role = row % 384 / 64;
        for (int neuron = 0; neuron < hidden; ++neuron) {
            // Neurons of the first half count own pieces, those of the second enemy pieces.
            bool counts = is_own == (neuron < hidden / 2);
            net.weights.push_back((i16)((counts ? worth[role] / 2 : 0) + within(6)));
        }
    }
    for (int neuron = 0; neuron < hidden; ++neuron) {
        net.bias.push_back((i16)(20 + within(30)));
    }
    for (int index = 0; index < OUTPUT_BUCKETS * 2 * hidden; ++index) {
        bool is_them = index % (2 * hidden) >= hidden, is_own = index % hidden < hidden / 2;
        int sign = is_them == is_own ? -1 : 1;
        net.output.push_back((i16)(sign * 2048 / hidden + within(4)));
    }
    for (int bucket = 0; bucket < OUTPUT_BUCKETS; ++bucket) {
        net.output_bias.push_back(within(3000));
    }
    return net;
}
