/** The loads of the HTTP benchmark, and the targets of our proxy by number of flags. */
export const CASES = [
  {
    name: "new-user",
    title: "every request another user",
    load: { users: "new", headers: {}, expectedStatus: 200 },
    targets: {
      10: { timesOld: 11, timesEdge: 2, shareOfBare: 0.62 },
      100: { timesOld: 22, timesEdge: 5, shareOfBare: 0.48 },
      1000: { timesOld: 60, timesEdge: 20, shareOfBare: 0.26 },
    },
  },
  {
    name: "same-context",
    title: "same context again",
    load: { users: "fixed", headers: {}, expectedStatus: 200 },
    targets: {
      10: { timesOld: 12, shareOfBare: 0.72 },
      100: { timesOld: 30, shareOfBare: 0.72 },
      1000: { timesOld: 120, shareOfBare: 0.65 },
    },
  },
  {
    name: "not-modified",
    title: "If-None-Match that matches",
    load: { users: "fixed", isConditional: true, headers: {}, expectedStatus: 304 },
    targets: {
      10: { timesOld: 12, shareOfBare: 0.72 },
      100: { timesOld: 30, shareOfBare: 0.72 },
      1000: { timesOld: 120, shareOfBare: 0.65 },
    },
  },
  {
    name: "gzip",
    title: "every request another user, gzip accepted",
    load: { users: "new", headers: { "accept-encoding": "gzip" }, expectedStatus: 200 },
    targets: { 10: { timesOld: 8 }, 100: { timesOld: 15 }, 1000: { timesOld: 40 } },
    // The bare server does not compress.
    without: ["bare"],
  },
  {
    name: "post",
    title: "every request another user, by POST",
    load: { users: "new", method: "POST", headers: {}, expectedStatus: 200 },
    targets: {},
  },
  {
    name: "all",
    title: "every request another user, /proxy/all",
    load: { users: "new", path: "/proxy/all", headers: {}, expectedStatus: 200 },
    targets: {},
    without: ["bare", "old", "edge"],
  },
  {
    name: "ofrep",
    title: "every request another user, OFREP with all flags",
    load: {
      users: "new",
      method: "POST",
      path: "/ofrep/v1/evaluate/flags",
      headers: {},
      expectedStatus: 200,
    },
    targets: {},
    without: ["bare", "old", "edge"],
  },
];
