import { TokenValidator, UpstreamError } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";
import { toClientOptions } from "../sources.ts";

const ignore = (): void => {};

/**
 * Lets the upstream verify the upstream tokens, as it verifies keys. Returns why it cannot verify keys;
 * undefined if it can.
 */
export async function checkUpstreamKeys(config: ProxyConfig): Promise<string | undefined> {
  const { upstreamTokens } = config;
  const validator = new TokenValidator({
    client: toClientOptions(config, upstreamTokens[0] ?? ""),
    subject: "Verifying keys",
    events: { warn: ignore, error: ignore },
  });
  try {
    const valid = await validator.validate(upstreamTokens);
    return valid.size > 0
      ? undefined
      : "The upstream cannot verify keys: it does not even know the tokens in FLAGS_API_TOKEN";
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return `The upstream cannot verify keys: ${error.message}`;
  } finally {
    await validator.close();
  }
}
