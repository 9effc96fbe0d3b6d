import { expect, onTestFinished, test } from "vitest";
import { json } from "../../sdk/test/_upstream.ts";
import type { Reply } from "../../sdk/test/_upstream.ts";
import { TokenValidator } from "../src/upstream/token-validator.ts";
import { startUpstream } from "./_upstream-source.ts";

const withStatus =
  (status: number, body: object): Reply =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

test.each([
  ["a 206", withStatus(206, { tokens: [] })],
  ["an error", json({ error: "down", tokens: [] })],
])("%s does not say that tokens are invalid", async (_name, reply) => {
  const upstream = await startUpstream();
  upstream.reply("/edge/validate", reply);
  const ignore = (): undefined => undefined;
  const validator = new TokenValidator({
    client: { url: upstream.url, appName: "app" },
    subject: "Verifying keys",
    events: { error: ignore, warn: ignore },
  });
  onTestFinished(() => validator.close());
  await expect(validator.validate(["*:development.secret"])).rejects.toThrow(
    /only a 200 or 203 contains|contains an error instead/,
  );
});
