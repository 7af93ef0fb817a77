// SPDX-License-Identifier: Apache-2.0
// The files of hem/eval/report/assets, put into the library when it is built.
#pragma once

namespace hem::assets {

extern const char* const kReportCss;
extern const char* const kViewJs;

}  // namespace hem::assets
