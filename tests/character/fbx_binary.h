// SPDX-License-Identifier: Apache-2.0
// The binary form of an ASCII FBX text: version 7.4, records with 32-bit offsets, arrays not
// compressed.
//
// Assimp's own exporter cannot serve: 5.2.5 writes binary files that it refuses to read.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hem {

class FbxBinary {
public:
    static std::string from(std::string_view ascii) {
        FbxBinary encoder(ascii);
        encoder.out_ = std::string("Kaydara FBX Binary  \0\x1a\0", 23);
        encoder.put(uint32_t(7400));
        encoder.records();
        encoder.out_ += std::string(13, '\0');
        return encoder.out_;
    }

private:
    explicit FbxBinary(std::string_view text) : text_(text) {}

    template <class T>
    void put(T value) {
        out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class T>
    void putAt(size_t at, T value) {
        std::memcpy(out_.data() + at, &value, sizeof value);
    }
    void skip() {
        while (at_ < text_.size() &&
               (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == ';')) {
            if (text_[at_] == ';')
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            else
                ++at_;
        }
    }
    std::string until(const char* stops) {
        const size_t start = at_;
        while (at_ < text_.size() && !std::strchr(stops, text_[at_])) ++at_;
        return std::string(text_.substr(start, at_ - start));
    }

    // name: property, property { records }
    void records() {
        for (skip(); at_ < text_.size() && text_[at_] != '}'; skip()) record();
    }
    void record() {
        const std::string name = until(":");
        ++at_;
        const size_t head = out_.size();
        out_ += std::string(12, '\0');
        out_ += char(name.size());
        out_ += name;
        const size_t properties_at = out_.size();
        const uint32_t count = properties(name);
        putAt(head + 4, count);
        putAt(head + 8, uint32_t(out_.size() - properties_at));
        if (at_ < text_.size() && text_[at_] == '{') {
            ++at_;
            records();
            ++at_;
            out_ += std::string(13, '\0');
        }
        putAt(head, uint32_t(out_.size()));
    }
    uint32_t properties(const std::string& name) {
        uint32_t count = 0;
        std::string type;  // of a "P" record: its second string
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '{') {
            const char c = text_[at_];
            if (c == ' ' || c == ',' || c == '\t') {
                ++at_;
            } else if (c == '*') {
                array(name);
                return 1;
            } else if (c == '"') {
                ++at_;
                std::string text = until("\"");
                ++at_;
                if (count == 1) type = text;
                // "Class::Name" is "Name", nought, one, "Class"
                if (const size_t colons = text.find("::"); colons != text.npos)
                    text =
                        text.substr(colons + 2) + std::string("\0\x01", 2) + text.substr(0, colons);
                out_ += 'S';
                put(uint32_t(text.size()));
                out_ += text;
                ++count;
            } else {
                number(name, type, until(", \t\n{"));
                ++count;
            }
        }
        return count;
    }
    void number(const std::string& name, const std::string& type, const std::string& digits) {
        const bool small = name.find("Version") != name.npos || name == "KeyVer" || type == "int";
        const bool real = (name == "P" && type != "int" && type != "KTime") || name == "Default" ||
                          name == "Link_DeformAcuracy";
        out_ += real ? 'D' : small ? 'I' : 'L';
        if (real)
            put(std::stod(digits));
        else if (small)
            put(int32_t(std::stol(digits)));
        else
            put(int64_t(std::stoll(digits)));
    }
    template <class T>
    void put(const std::string& digits) {
        put(T(std::stod(digits)));
    }
    void array(const std::string& name) {
        until("{");
        ++at_;
        skip();
        until(":");
        ++at_;
        const bool floats = name == "KeyValueFloat" || name == "KeyAttrDataFloat";
        const bool doubles =
            name == "Vertices" || name == "Weights" || name.starts_with("Transform");
        const char kind = floats ? 'f' : doubles ? 'd' : name == "KeyTime" ? 'l' : 'i';
        std::string held = std::move(out_);
        out_.clear();
        uint32_t count = 0;
        while (text_[at_] != '}') {
            skip();
            const std::string digits = until(",}\n");
            kind == 'f'   ? put<float>(digits)
            : kind == 'd' ? put<double>(digits)
            : kind == 'l' ? put<int64_t>(digits)
                          : put<int32_t>(digits);
            ++count;
            if (text_[at_] == ',') ++at_;
            skip();
        }
        ++at_;
        held += kind;
        std::swap(held, out_);
        put(count);
        put(uint32_t(0));
        put(uint32_t(held.size()));
        out_ += held;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string out_;
};

}  // namespace hem
