import { once } from "node:events";
import { createServer } from "node:http";

/** One flag of every kind, so that the code for all of them is run. */
const DOCUMENT = {
  version: 2,
  segments: [
    { id: 1, constraints: [{ contextName: "region", operator: "IN", values: ["north"] }] },
  ],
  features: [
    { name: "on", enabled: true, strategies: [{ name: "default", parameters: {} }] },
    {
      name: "gradual",
      enabled: true,
      strategies: [
        {
          name: "flexibleRollout",
          parameters: { rollout: "50", stickiness: "default", groupId: "gradual" },
          constraints: [
            { contextName: "userId", operator: "NUM_GT", value: "5" },
            { contextName: "appName", operator: "STR_STARTS_WITH", values: ["a", "b"] },
          ],
          segments: [1],
        },
      ],
      variants: [
        { name: "red", weight: 500, payload: { type: "string", value: "#f00" } },
        { name: "blue", weight: 500 },
      ],
    },
  ],
};

const BODY = JSON.stringify(DOCUMENT);

/** The upstream of a command that is only warmed up, on a free port of 127.0.0.1. */
export async function startUpstream() {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") response.writeHead(202).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(BODY);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/api`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
