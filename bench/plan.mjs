import { parseArgs } from "node:util";
import { CASES } from "./parts/http/cases.mjs";
import { PEERS } from "./peers/peers.mjs";

/** NOTE: not derived from `PARTS`, whose module can be imported only after the build. */
const PART_NAMES = [
  "engine",
  "http",
  "fleet",
  "slope",
  "refresh",
  "memory",
  "start",
  "runtimes",
  "edge-start",
  "ingestion",
  "spool",
  "workers",
  "propagation",
  "fleet-sharing",
  "admin-scale",
  "admin-large",
  "console",
  "keys",
  "long-lists",
  "mechanisms",
  "stale",
  "telemetry",
];
const DEFAULT_PARTS = ["engine", "http"];
const CASE_NAMES = CASES.map(({ name }) => name);
const PEER_NAMES = Object.keys(PEERS);

export const HELP = `npm run bench -- [parts] [options]

Parts: ${PART_NAMES.join(", ")}. Default: ${DEFAULT_PARTS.join(" and ")}
  --all                All parts
  --long               All parts (unless named), with more and longer rounds
  --save               Also writes the results to bench/RESULTS.md
  --rounds NUMBER      Rounds of every part that has rounds
  --seconds NUMBER     Length of each round, where rounds are measured in seconds
  --no-build           Uses the existing packages/*/dist
  --help               Prints this text
http:
  --case NAMES         Default: ${CASE_NAMES.join(",")}
  --flags NUMBERS      Numbers of flags. Default: 10,100,1000
  --peers NAMES        Servers besides ours. Default: ${PEER_NAMES.slice(1).join(",")}
  --idle SECONDS       Pause after a first load, so that servers of Node are compared as they run later. Default: none
fleet:
  --rate NUMBER        Requests per second. Default: 2000
  --connections NUMBER Default: 128
  --fleets NUMBERS     Numbers of users. Default: 1500,16000,200000

Environment: EDGE_BIN, a binary of Edge to compare with; PREVIOUS_CHECKOUT, another built checkout of
this repository to compare with; WORKERD_BIN, a binary of workerd for edge-start.`;

const OPTIONS = {
  help: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  long: { type: "boolean", default: false },
  save: { type: "boolean", default: false },
  "no-build": { type: "boolean", default: false },
  case: { type: "string", default: CASE_NAMES.join(",") },
  flags: { type: "string", default: "10,100,1000" },
  peers: { type: "string", default: PEER_NAMES.join(",") },
  rate: { type: "string", default: "2000" },
  connections: { type: "string", default: "128" },
  fleets: { type: "string", default: "1500,16000,200000" },
  idle: { type: "string" },
  rounds: { type: "string" },
  seconds: { type: "string" },
};

const SHORT = {
  engine: { rounds: 7, roundMs: 60 },
  http: { rounds: 9, seconds: 0.35, warmUpSeconds: 1, firstWarmUpSeconds: 5 },
  fleet: { rounds: 5, seconds: 2, warmUpSeconds: 4 },
  slope: { rounds: 7, seconds: 0.3, warmUpSeconds: 1.5 },
  refresh: { refreshes: 3 },
  memory: { contexts: 50_000 },
  start: { rounds: 5 },
  "edge-start": { rounds: 5 },
  runtimes: { rounds: 5, seconds: 1, warmUpSeconds: 3 },
  ingestion: { rounds: 5, seconds: 1 },
  spool: { rounds: 5, seconds: 1, warmUpSeconds: 2 },
  workers: { rounds: 3, seconds: 1, warmUpSeconds: 3 },
  propagation: { streamCounts: [1, 1000, 10_000], changes: 10, pollers: 100, polledChanges: 2 },
  "fleet-sharing": { replicas: 20, seconds: 10, changes: 20 },
  "admin-scale": { seconds: 2, streamCount: 1000, changes: 50 },
  "admin-large": { changes: 5 },
  console: { rounds: 5 },
  keys: { rounds: 9, seconds: 0.5 },
  "long-lists": { rounds: 9, seconds: 0.5 },
  mechanisms: { rounds: 5, seconds: 0.5 },
  stale: {},
  telemetry: { rounds: 7, seconds: 1, warmUpSeconds: 3 },
};

const LONG = {
  engine: { rounds: 15, roundMs: 300 },
  http: { rounds: 9, seconds: 3, warmUpSeconds: 2, firstWarmUpSeconds: 5 },
  fleet: { rounds: 7, seconds: 4, warmUpSeconds: 20 },
  slope: { rounds: 9, seconds: 1, warmUpSeconds: 3 },
  refresh: { refreshes: 10 },
  memory: { contexts: 1_000_000 },
  start: { rounds: 15 },
  "edge-start": { rounds: 15 },
  runtimes: { rounds: 9, seconds: 3, warmUpSeconds: 5 },
  ingestion: { rounds: 5, seconds: 5 },
  spool: { rounds: 9, seconds: 5, warmUpSeconds: 5 },
  workers: { rounds: 9, seconds: 3, warmUpSeconds: 8 },
  propagation: { streamCounts: [1, 1000, 10_000], changes: 50, pollers: 100, polledChanges: 10 },
  "fleet-sharing": { replicas: 20, seconds: 30, changes: 100 },
  "admin-scale": { seconds: 10, streamCount: 5000, changes: 300 },
  "admin-large": { changes: 50 },
  console: { rounds: 15 },
  keys: { rounds: 25, seconds: 1 },
  "long-lists": { rounds: 15, seconds: 2 },
  mechanisms: { rounds: 15, seconds: 1 },
  stale: {},
  telemetry: { rounds: 15, seconds: 3, warmUpSeconds: 5 },
};

/**
 * Parses the arguments of the command.
 *
 * @returns what to measure: `parts` by name, and the plan of each under its name
 * @throws {TypeError} if a name is unknown or a number is not above 0
 */
export function parsePlan(args) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const { all, long, save, help } = values;
  const defaultParts = all || long ? PART_NAMES : DEFAULT_PARTS;
  const lengths = {
    ...(values.rounds && { rounds: readNumber("--rounds", values.rounds) }),
    ...(values.seconds && { seconds: readNumber("--seconds", values.seconds) }),
  };
  const plans = Object.fromEntries(
    Object.entries(long ? LONG : SHORT).map(([name, plan]) => [name, { ...plan, ...lengths }]),
  );
  return {
    ...plans,
    long,
    save,
    help,
    build: !values["no-build"],
    parts: readNames("part", positionals.join(",") || defaultParts.join(","), PART_NAMES),
    http: {
      ...plans.http,
      cases: readNames("--case", values.case, CASE_NAMES),
      // NOTE: always includes ours, which the others are compared with.
      peers: [...new Set(["ours", ...readNames("--peers", values.peers, PEER_NAMES)])],
      flagCounts: readNumbers("--flags", values.flags),
      idleSeconds: values.idle && readNumber("--idle", values.idle),
    },
    fleet: {
      ...plans.fleet,
      rate: readNumber("--rate", values.rate),
      connections: readNumber("--connections", values.connections),
      sizes: readNumbers("--fleets", values.fleets),
    },
  };
}

function readNames(option, text, known) {
  const names = text.split(",").filter(Boolean);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw new TypeError(`${option}: unknown ${unknown.join(", ")}; known are ${known.join(", ")}`);
}

function readNumbers(option, text) {
  return text.split(",").map((number) => readNumber(option, number));
}

function readNumber(option, text) {
  const number = Number(text);
  if (number > 0) return number;
  throw new TypeError(`${option}: ${text} is not a number above 0`);
}
