import { parseArgs } from "node:util";

const PART_NAMES = [
  "engine",
  "http",
  "slope",
  "refresh",
  "memory",
  "start",
  "intake",
  "workers",
  "propagation",
];
/** What a short run measures: what takes about a minute and a half. */
const FIRST_PARTS = ["engine", "http"];
const CASE_NAMES = ["new-user", "same-context", "not-modified", "gzip", "post"];
const PEER_NAMES = [
  "ours",
  ...(process.env.PREVIOUS_CHECKOUT ? ["previous"] : []),
  "old",
  "bare",
  ...(process.env.EDGE_BIN ? ["edge"] : []),
];

export const HELP = `npm run bench -- [parts] [options]

Parts: ${PART_NAMES.join(", ")}; ${FIRST_PARTS.join(" and ")} unless named
  --all                All parts
  --long               All parts, with more and longer rounds
  --save               Writes the results to bench/RESULTS.md too
  --case NAMES         Cases of HTTP: ${CASE_NAMES.join(",")}
  --flags NUMBERS      Numbers of flags of HTTP: 10,100,1000
  --peers NAMES        Servers of HTTP besides ours: ${PEER_NAMES.slice(1).join(",")}
  --rounds NUMBER      Rounds of HTTP
  --seconds NUMBER     Length of a round of HTTP
  --no-build           Takes packages/*/dist as it is`;

const OPTIONS = {
  help: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  long: { type: "boolean", default: false },
  save: { type: "boolean", default: false },
  "no-build": { type: "boolean", default: false },
  case: { type: "string", default: CASE_NAMES.join(",") },
  flags: { type: "string", default: "10,100,1000" },
  peers: { type: "string", default: PEER_NAMES.join(",") },
  rounds: { type: "string" },
  seconds: { type: "string" },
};

const SHORT = {
  engine: { rounds: 7, roundMs: 60 },
  http: { rounds: 3, seconds: 0.35, warmUpSeconds: 0.3, firstWarmUpSeconds: 1.5 },
  slope: { rounds: 7, seconds: 0.3, warmUpSeconds: 1.5 },
  refresh: { refreshes: 3 },
  memory: { contexts: 50_000 },
  start: { rounds: 5 },
  intake: { rounds: 5, seconds: 1 },
  workers: { rounds: 3, seconds: 1, warmUpSeconds: 1.5 },
  propagation: { streamCounts: [1, 1000, 10_000], changes: 10, pollers: 100, polledChanges: 2 },
};

const LONG = {
  engine: { rounds: 15, roundMs: 300 },
  http: { rounds: 9, seconds: 3, warmUpSeconds: 2, firstWarmUpSeconds: 5 },
  slope: { rounds: 9, seconds: 1, warmUpSeconds: 3 },
  refresh: { refreshes: 10 },
  memory: { contexts: 1_000_000 },
  start: { rounds: 15 },
  intake: { rounds: 5, seconds: 5 },
  workers: { rounds: 9, seconds: 3, warmUpSeconds: 4 },
  propagation: { streamCounts: [1, 1000, 10_000], changes: 50, pollers: 100, polledChanges: 10 },
};

/** What a run measures, from its arguments. */
export function parsePlan(args) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const { all, long, save, help } = values;
  const parts = all || long ? PART_NAMES : FIRST_PARTS;
  return {
    long,
    save,
    help,
    build: !values["no-build"],
    parts: readNames("part", positionals.join(",") || parts.join(","), PART_NAMES),
    ...(long ? LONG : SHORT),
    http: {
      ...(long ? LONG : SHORT).http,
      cases: readNames("--case", values.case, CASE_NAMES),
      // NOTE: always with ours, which the others are compared with.
      peers: [...new Set(["ours", ...readNames("--peers", values.peers, PEER_NAMES)])],
      flagCounts: values.flags.split(",").map((text) => readNumber("--flags", text)),
      ...(values.rounds && { rounds: readNumber("--rounds", values.rounds) }),
      ...(values.seconds && { seconds: readNumber("--seconds", values.seconds) }),
    },
  };
}

function readNames(what, text, known) {
  const names = text.split(",").filter(Boolean);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw new TypeError(`${what}: no ${unknown.join(", ")}; there is ${known.join(", ")}`);
}

function readNumber(what, text) {
  const number = Number(text);
  if (number > 0) return number;
  throw new TypeError(`${what}: ${text} is not a number above 0`);
}
