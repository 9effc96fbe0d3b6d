// Polling fleets: users who return in turn, at a constant rate of requests, with and without their last
// ETag. Compared with new users, with a bare `node:http` server that sends the same responses, and with
// Edge.

import { setTimeout as delay } from "node:timers/promises";
import { createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { medianRatio, medians } from "../lib/statistics.mjs";
import { measureLoad, withGenerator } from "../load/measure-load.mjs";
import { PEERS, withServers } from "../peers/peers.mjs";
import { EXAMPLE_USER, fetchExample } from "./http/responses.mjs";

const FLAG_COUNT = 100;
/** Above every index that new users reach. */
const FIRST_FLEET_USER = 2_000_000_000;
/** Passes after the first one, which collects the ETags, to fill caches. */
const FURTHER_PASSES = 3;
/** An ETag of definitions that have changed since, as a whole fleet sends after each change. */
const OUTDATED = { "if-none-match": '"outdated"' };

/** A server that cannot keep up still works on the requests of its turn when the turn has ended. */
const PAUSE_MS = 500;

/**
 * Unmeasured load at the start of each turn. While other servers have their turns, V8 reduces the memory of an idle one.
 * The next load pays for that, because V8 collects a small heap often. A fleet that polls leaves no such pauses.
 */
const TURN_WARM_UP_SECONDS = 8;

const P99_TARGET = 2;
const RETURNING_CPU_TARGET = 1.1;

/**
 * Measures new and returning users, with and without ETags, on every server.
 *
 * Each fleet has its own servers and generator. A generator that kept the ETags of all fleets would compete with the
 * servers for the processors while its garbage is collected: the 99th percentile of new users was three times as high.
 *
 * @param plan `sizes` of the fleets, `rate` in requests per second, `connections`, `rounds`, `seconds` of
 *   each, and `warmUpSeconds`, the limit of the warm-up of each fleet after its first pass
 */
export async function runFleetBench(plan) {
  const rows = [];
  for (const size of plan.sizes) rows.push(...(await benchFleet(size, plan)));
  return { rate: plan.rate, rows };
}

function benchFleet(size, plan) {
  const { ours, bare, edge } = PEERS;
  const starters = { ours, bare, ...(edge && { edge }) };
  return withServers(createDocument(FLAG_COUNT), starters, (servers) =>
    withGenerator(async (generator) => {
      const populations = createPopulations(size);
      await warmUp(populations, servers, { ...plan, generator });
      const samples = await takeTurns(populations, servers, { ...plan, generator });
      return summarize(populations, samples).map((row) => ({ ...row, size }));
    }),
  );
}

/** New users come first: the fleet is compared with them. */
function createPopulations(size) {
  const newUsers = { name: "new", load: { users: "new", expectedStatus: 200 } };
  const returning = { name: "returning", fleet: { size, firstUser: FIRST_FLEET_USER } };
  return [
    { ...newUsers, entityTag: "none" },
    { ...newUsers, entityTag: "outdated", load: { ...newUsers.load, headers: OUTDATED } },
    { ...returning, entityTag: "none", load: { expectedStatus: 200 } },
    { ...returning, entityTag: "matches", load: { expectedStatus: 304, isConditional: true } },
  ];
}

/** The load of a population on one server, as each server has its own ETags. */
function toLoad({ load, fleet }, serverName) {
  if (fleet === undefined) return load;
  return { ...load, fleet: { ...fleet, id: serverName } };
}

/** Sends unmeasured requests of the fleet, so that every user has been served and has an ETag. */
async function warmUp(populations, servers, { generator, warmUpSeconds }) {
  const returning = populations.find(({ fleet, entityTag }) => fleet && entityTag === "none");
  await copyResponse(returning, servers);
  const { size } = returning.fleet;
  for (const [serverName, server] of servers) {
    const load = toLoad(returning, serverName);
    await measureLoad(generator, server, { ...load, requests: size });
    const further = { requests: size * FURTHER_PASSES, seconds: warmUpSeconds };
    await measureLoad(generator, server, { ...load, ...further });
  }
}

/** In each round, measures all populations on one server after another: lists of samples by population and server. */
async function takeTurns(populations, servers, { generator, rounds, seconds, rate, connections }) {
  const samples = populations.map(() => new Map([...servers.keys()].map((name) => [name, []])));
  const order = [...servers];
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of order) {
      const measure = async (population, loadSeconds) => {
        await copyResponse(population, servers);
        const load = { ...toLoad(population, name), rate, connections, seconds: loadSeconds };
        return await measureLoad(generator, server, load);
      };
      await measure(populations[0], TURN_WARM_UP_SECONDS);
      for (const [index, population] of populations.entries()) {
        samples[index].get(name).push(await measure(population, seconds));
      }
      await delay(PAUSE_MS);
    }
    order.reverse();
  }
  return samples;
}

/** Makes the bare server send what our proxy sends to a population. */
async function copyResponse({ load }, servers) {
  const example = await fetchExample(servers.get("ours"), EXAMPLE_USER, load.isConditional);
  await servers.get("bare").respondWith(example);
}

function summarize(populations, samples) {
  const newUsers = samples[0].get("ours");
  return populations.map((population, index) => {
    const own = samples[index];
    const ours = own.get("ours");
    const bare = own.get("bare");
    return {
      ...population,
      peers: Object.fromEntries([...own].map(([name, list]) => [name, medians(list)])),
      p99OverBare: medianRatio(ours, bare, "p99Ms"),
      cpuOverBare: medianRatio(ours, bare, "cpuMicroseconds"),
      cpuOverNew: medianRatio(ours, newUsers, "cpuMicroseconds"),
    };
  });
}

export function reportFleet({ rate, rows }) {
  const title = `## Fleet: ${FLAG_COUNT} flags at ${rate} requests per second`;
  return `${title}\n\n${toTable(rows.map(toRow))}`;
}

function toRow({ size, name, entityTag, load, peers, ...ratios }) {
  const cells = (label, field, digits) =>
    Object.fromEntries(
      Object.entries(peers).map(([peer, sample]) => [
        `${peer} ${label}`,
        sample[field].toFixed(digits),
      ]),
    );
  return {
    fleet: size,
    users: name,
    ETag: entityTag,
    status: load.expectedStatus,
    "p99 ours / bare": ratios.p99OverBare.toFixed(2),
    "CPU ours / bare": ratios.cpuOverBare.toFixed(2),
    "CPU ours / new users": ratios.cpuOverNew.toFixed(2),
    ...cells("p50 ms", "p50Ms", 3),
    ...cells("p99 ms", "p99Ms", 3),
    ...cells("CPU µs/req", "cpuMicroseconds", 1),
    ...cells("sent late p99 ms", "latenessP99Ms", 3),
  };
}

export function fleetTargets({ rows }) {
  return rows.flatMap(({ size, name, entityTag, fleet, p99OverBare, cpuOverNew }) => {
    const what = `fleet of ${size}, ${name} users, ETag ${entityTag}`;
    const p99 = atMost(`${what}: p99 / bare`, p99OverBare, P99_TARGET);
    const cpu = atMost(`${what}: CPU / new users`, cpuOverNew, RETURNING_CPU_TARGET);
    return fleet === undefined ? [p99] : [p99, cpu];
  });
}
