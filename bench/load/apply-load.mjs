import { openConnection } from "./connection.mjs";
import { Latencies } from "./latencies.mjs";
import { requestsOfNewUsers, requestsOfOneUser } from "./requests.mjs";

/**
 * Keeps connections to a server busy for so many seconds, or for so many requests.
 *
 * @param job `port`, `path`, `headers`, `method` ("GET" unless told otherwise), `connections`, `users`
 *   ("new" or "steady"), `isConditional`, `expectedStatus`, and `seconds` or `requests`
 */
export async function applyLoad(job) {
  const connections = Array.from({ length: job.connections }, () => openConnection(job.port));
  try {
    const sources = await Promise.all(
      connections.map((connection, index) => prepareRequests(job, connection, index)),
    );
    return await measure(job, connections, sources);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function prepareRequests(job, connection, index) {
  if (job.users === "new") return requestsOfNewUsers(job);
  const first = requestsOfOneUser(job, index);
  if (!job.isConditional) return first;
  const headers = { ...job.headers, "if-none-match": await askForTag(connection, first()) };
  return requestsOfOneUser({ ...job, headers }, index);
}

async function askForTag(connection, request) {
  const requests = [request];
  let entityTag;
  await connection.run(
    () => requests.pop(),
    (response) => {
      entityTag = response.entityTag;
    },
  );
  return entityTag;
}

async function measure(job, connections, sources) {
  const latencies = new Latencies();
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const mayAsk = createBudget(job, startMs);
  let failed = 0;
  const runs = connections.map((connection, index) => {
    let askedAtMs = startMs;
    const nextRequest = () => {
      askedAtMs = performance.now();
      return mayAsk(askedAtMs) ? sources[index]() : undefined;
    };
    return connection.run(nextRequest, ({ status }) => {
      latencies.add(performance.now() - askedAtMs);
      if (status !== job.expectedStatus) failed++;
    });
  });
  await Promise.all(runs);
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const generatorBusy = (user + system) / 1e6 / seconds;
  return { ...latencies.summarize(), seconds, failed, generatorBusy };
}

/** A function that says whether one more request may be sent at this moment. */
function createBudget({ seconds = Infinity, requests = Infinity }, startMs) {
  const endMs = startMs + seconds * 1000;
  let left = requests;
  return (nowMs) => nowMs < endMs && left-- > 0;
}
