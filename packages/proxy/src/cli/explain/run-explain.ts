import type { Snapshot } from "flags-engine";
import { isRecord, tryParseJson } from "flags-server-kit/neutral";
import { EXIT_FAILURE, SubcommandError, toHttpUrl } from "flags-server-kit/command-line";
import { explainFlags, type FlagExplanation } from "../../core/explain/explain-flags.ts";
import { EvaluationContext } from "../../core/routes/schemas.ts";
import type { ProxyConfig } from "../../config/config.ts";
import type { TranslatedEnvironment } from "../../config/translation-report.ts";
import { completeContext } from "../../core/context/request-context.ts";
import { readContext } from "../../core/context/sent-context.ts";
import { HttpError } from "../../core/http/errors.ts";
import { isValid } from "../../core/http/validation.ts";
import { toUpstreamClientOptions } from "../../config/upstream-client-options.ts";
import { describeSources } from "../../sources/describe-sources.ts";
import { removeClientPath } from "../proxy-address.ts";
import { describeUpstreamFailure } from "../describe-upstream-failure.ts";
import { inspectSource, loadForReading } from "../inspect-source.ts";
import { postJson, readKeyOption, readKeySettings } from "../proxy-request.ts";

interface ExplainCall {
  /** Undefined: all flags. */
  readonly flag: string | undefined;
  readonly options: Readonly<Record<string, string | true>>;
  readonly environment: TranslatedEnvironment;
}

type Names = readonly string[] | undefined;
type JsonContext = Parameters<typeof readContext>[0];

/** @throws {SubcommandError} if flags cannot be explained */
export async function runExplain(call: ExplainCall): Promise<readonly FlagExplanation[]> {
  const { flag, options, environment } = call;
  const context = parseContext(options["context"]);
  const names = flag === undefined ? undefined : [flag];
  const { url } = options;
  rejectUnused(options);
  if (typeof url === "string") {
    return queryProxy(toExplainUrl(url), { ...call, context, names });
  }
  const config = await loadForReading(environment);
  const sent = readContext(context);
  try {
    const completed = completeContext(
      sent,
      { appName: config.appName, environment: config.environment },
      { remoteAddress: undefined, sessionId: undefined },
    );
    const snapshot = await readSnapshot(config, options["environment"]);
    return await explainFlags(snapshot, names, completed);
  } catch (error) {
    if (error instanceof HttpError) throw new SubcommandError(error.message);
    throw error;
  }
}

/** NOTE: an ignored option could be the reason why the explanation is for the wrong environment. */
function rejectUnused({
  url,
  key,
  "key-file": keyFile,
  environment,
}: ExplainCall["options"]): void {
  if (url !== undefined && environment !== undefined) {
    throw new SubcommandError(
      "--environment cannot be used with --url: the running proxy uses the environment of the key",
    );
  }
  if (url === undefined && (key ?? keyFile) !== undefined) {
    throw new SubcommandError("--key and --key-file can be used only with --url");
  }
}

function toExplainUrl(address: string): string {
  const url = toHttpUrl(address);
  if (url === undefined) {
    throw new SubcommandError("--url must be a URL that starts with http:// or https://");
  }
  return `${removeClientPath(`${url.origin}${url.pathname}`)}/proxy/explain`;
}

function parseContext(text: string | true | undefined): JsonContext {
  if (typeof text !== "string") return {};
  const context = tryParseJson(text);
  if (isRecord(context) && isValid(EvaluationContext, context)) return context;
  throw new SubcommandError(
    `--context must be a JSON object such as {"userId":"7","properties":{"plan":"pro"}}, with strings, numbers and booleans as values`,
  );
}

async function readSnapshot(
  config: ProxyConfig,
  environment: string | true | undefined,
): Promise<Snapshot> {
  const names = describeSources(config).map(({ name }) => name);
  const index = environment === undefined ? 0 : names.indexOf(String(environment));
  if (index === -1) {
    throw new SubcommandError(`--environment must be one of ${names.join(", ")}`);
  }
  try {
    return (await inspectSource(config, index)).snapshot;
  } catch (error) {
    const options = toUpstreamClientOptions(config, config.upstreamTokens[index] ?? "");
    const reason = await describeUpstreamFailure(error, options, config.origins);
    throw new SubcommandError(reason, EXIT_FAILURE, { cause: error });
  }
}

async function queryProxy(
  url: string,
  { options, environment, context, names }: ExplainCall & { context: object; names: Names },
): Promise<readonly FlagExplanation[]> {
  const { serverTokens, clientKeysHeaderName } = readKeySettings(environment);
  const key = readKeyOption(options, "key") ?? serverTokens[0] ?? "";
  if (key === "") {
    throw new SubcommandError(
      "--key-file is required: a file with a server token, or a key with `explain` in the access file. You can omit it if EXP_SERVER_SIDE_SDK_CONFIG_TOKENS is set",
    );
  }
  const { status, text } = await postJson(url, {
    headers: { [clientKeysHeaderName]: key },
    body: { context, flags: names },
    failureCode: EXIT_FAILURE,
  });
  const body = tryParseJson(text);
  if (status === 200 && isRecord(body) && Array.isArray(body["flags"])) {
    return body["flags"] as readonly FlagExplanation[];
  }
  const reason = isRecord(body) && typeof body["error"] === "string" ? `: ${body["error"]}` : "";
  const hint =
    status === 404 ? ". Check the address in --url, with the base path of the proxy" : "";
  throw new SubcommandError(`${url} responded with ${status}${reason}${hint}`, EXIT_FAILURE);
}
