import type { Snapshot } from "flags-engine";
import {
  ConfigError,
  type Environment,
  isRecord,
  resolveSettings,
  toErrorMessage,
} from "flags-server-kit";
import { explainFlags, type FlagExplanation } from "../../api/explain-flags.ts";
import { EvaluationContext } from "../../api/schemas.ts";
import { translateEnvironment } from "../../config/aliases/translate-environment.ts";
import type { LoadedConfig } from "../../config/assemble-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { SETTINGS } from "../../config/settings.ts";
import { completeContext } from "../../context/request-context.ts";
import { readContext } from "../../context/sent-context.ts";
import { HttpError } from "../../errors.ts";
import { isValid } from "../../http/validation.ts";
import { toClientOptions } from "../../create-clients.ts";
import { describeSources } from "../../sources.ts";
import { explainUpstreamFailure } from "../explain-upstream-failure.ts";
import { inspectSource } from "../inspect-source.ts";
import { SILENT } from "../silent-logger.ts";

/** The error if nothing can be explained. The message is the reason. */
export class ExplainError extends Error {
  override readonly name = "ExplainError";
  /** Whether an argument is invalid. Otherwise the upstream or the proxy is the reason. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage, cause }: { isUsage: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isUsage = isUsage;
  }
}

interface ExplainCall {
  /** Undefined: all flags. */
  readonly flag: string | undefined;
  readonly options: Readonly<Record<string, string | true>>;
  readonly environment: Environment;
}

type Names = readonly string[] | undefined;
type JsonContext = Parameters<typeof readContext>[0];

const TIMEOUT_MS = 30_000;

/**
 * Explains flags with the definitions of the upstream, or queries a running proxy.
 *
 * @throws {ExplainError} if that is not possible
 * @throws {ConfigError} if the settings are invalid
 */
export async function runExplain(call: ExplainCall): Promise<readonly FlagExplanation[]> {
  const { flag, options, environment } = call;
  const context = parseContext(options["context"]);
  const names = flag === undefined ? undefined : [flag];
  const { url } = options;
  if (typeof url === "string") {
    return queryProxy(`${url.replace(/\/+$/, "")}/explain`, { ...call, context, names });
  }
  const config = await loadConfig({ logger: SILENT }, environment);
  const sent = readContext(context);
  try {
    const completed = completeContext(
      sent,
      { appName: config.appName, environment: config.environment },
      { remoteAddress: undefined, sessionId: undefined },
    );
    return await explainFlags(await readSnapshot(config, options["environment"]), names, completed);
  } catch (error) {
    if (error instanceof HttpError) throw new ExplainError(error.message, { isUsage: true });
    throw error;
  }
}

function parseContext(text: string | true | undefined): JsonContext {
  if (typeof text !== "string") return {};
  const context = parseJson(text);
  if (isRecord(context) && isValid(EvaluationContext, context)) return context;
  throw new ExplainError(
    `--context must be a JSON object such as {"userId":"7","properties":{"plan":"pro"}}, with texts, numbers and booleans as values`,
    { isUsage: true },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readSnapshot(
  config: LoadedConfig,
  environment: string | true | undefined,
): Promise<Snapshot> {
  const names = describeSources(config).map(({ name }) => name);
  const index = environment === undefined ? 0 : names.indexOf(String(environment));
  if (index === -1) {
    throw new ExplainError(`--environment must be one of ${names.join(", ")}`, { isUsage: true });
  }
  try {
    return (await inspectSource(config, index)).snapshot;
  } catch (error) {
    const options = toClientOptions(config, config.upstreamTokens[index] ?? "");
    const reason = await explainUpstreamFailure(error, options);
    throw new ExplainError(reason, { isUsage: false, cause: error });
  }
}

async function queryProxy(
  url: string,
  { options, environment, context, names }: ExplainCall & { context: object; names: Names },
): Promise<readonly FlagExplanation[]> {
  const { serverTokens, clientKeysHeaderName } = readKeySettings(environment);
  const key = options["key"] ?? serverTokens[0];
  if (typeof key !== "string" || key === "") {
    throw new ExplainError("--key is required: a server token, or a key with `explain`", {
      isUsage: true,
    });
  }
  const headers = { [clientKeysHeaderName]: key.trim() };
  const { status, text } = await send(url, headers, { context, flags: names });
  const body = parseJson(text);
  if (status === 200 && isRecord(body) && Array.isArray(body["flags"])) {
    return body["flags"] as readonly FlagExplanation[];
  }
  const reason = isRecord(body) && typeof body["error"] === "string" ? `: ${body["error"]}` : "";
  throw new ExplainError(`${url} responded with ${status}${reason}`, { isUsage: false });
}

/** NOTE: the other settings are not required to query a proxy on another machine. */
function readKeySettings(environment: Environment) {
  const { serverTokens, clientKeysHeaderName } = SETTINGS;
  const translated = translateEnvironment(SETTINGS, environment);
  const { values, problems } = resolveSettings(
    { serverTokens, clientKeysHeaderName },
    { environment: translated.environment },
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return values;
}

async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = toErrorMessage(cause);
    throw new ExplainError(`Cannot reach ${url}: ${reason}`, { isUsage: false, cause: error });
  }
}
