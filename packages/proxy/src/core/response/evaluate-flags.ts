import type { Context, Evaluation, Snapshot } from "flags-engine";
import { badField, unknownFlag } from "../http/errors.ts";
import type { OutcomeVector } from "./flag-list.ts";
import { SEPARATOR } from "./fragment.ts";
import type { Renderer, Rendering } from "./rendering.ts";
import { toEntityTag } from "flags-sdk/neutral";
import { ResponseBody, toBinaryString } from "../http/response-body.ts";

/** Which flags a response contains. Without any field: a list of those that are on. */
export interface Selection {
  /** Name of a single flag, on or off: the response is this flag and no list. */
  readonly single?: string | undefined;
  /** Names of the only flags to list, on or off. Takes precedence over `all`. */
  readonly toggles?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

export interface EvaluatedFlags extends Omit<Evaluation, "outcomes"> {
  readonly body: ResponseBody;
  /** By the position of the flag. NOTE: valid only until the next evaluation, which may overwrite it. */
  readonly outcomes: Readonly<Record<number, number>>;
}

/** Turns a snapshot, a context and a selection into a response in one protocol. @throws {HttpError} 404 or 400 */
export function evaluateFlags(
  { render }: Pick<Renderer, "render">,
  snapshot: Snapshot,
  context: Context,
  selection: Selection,
): EvaluatedFlags {
  const rendering = render(snapshot);
  if (selection.single !== undefined) {
    return evaluateSingle(rendering, context, selection.single);
  }
  const evaluation = snapshot.evaluateAll(context, rendering.vector);
  return { ...evaluation, body: selectFlags(rendering, evaluation.outcomes, selection) };
}

export function isListShareable({ single, toggles }: Selection): boolean {
  return single === undefined && toggles === undefined;
}

function evaluateSingle(
  { snapshot, layout: { format } }: Rendering,
  context: Context,
  name: string,
): EvaluatedFlags {
  const index = snapshot.indexOf(name);
  const flag = snapshot.flags[index];
  if (flag === undefined) throw unknownFlag(name);
  const outcomeIndex = snapshot.evaluate(index, context);
  const outcome = flag.outcomes[outcomeIndex];
  if (outcome === undefined) throw unknownFlag(name);
  const error = format.toFlagError?.(flag, outcome);
  if (error !== undefined) throw error;
  const json = format.writeFlag(flag, outcome);
  const body = new ResponseBody(toBinaryString(json), toEntityTag(json));
  const isConstant = flag.constantOutcome !== undefined;
  return {
    body,
    outcomes: { [index]: outcomeIndex },
    isRepeatable: isConstant,
    isPredictable: isConstant,
    hasRead: () => !isConstant,
  };
}

function selectFlags(
  rendering: Rendering,
  outcomes: OutcomeVector,
  { toggles, all = false }: Selection,
): ResponseBody {
  if (toggles !== undefined) return selectNamed(rendering, outcomes, toggles);
  return (all ? rendering.all : rendering.enabled).select(outcomes);
}

const ANY_NAME = "<name>";

/** The longest response to a list in which a name is repeated: a short request could otherwise get gigabytes. */
const MAX_REPEATED_BYTES = 1024 * 1024;

/** Lists the named flags in the order of their names, each as often as it is named; unknown names are off. */
function selectNamed(
  { snapshot, layout: { format, frame, fragmentOf } }: Rendering,
  outcomes: OutcomeVector,
  names: readonly string[],
): ResponseBody {
  // NOTE: a client can name thousands of flags that do not exist, so only their names are serialized for each.
  const [prefix = "", suffix = ""] = format
    .writeUnknownFlag(ANY_NAME)
    .split(JSON.stringify(ANY_NAME));
  let bytesLeft = new Set(names).size < names.length ? MAX_REPEATED_BYTES : Infinity;
  const flags = names.map((name) => {
    const index = snapshot.indexOf(name);
    const flag = snapshot.flags[index];
    const text =
      flag === undefined
        ? SEPARATOR + prefix + toBinaryString(JSON.stringify(name)) + suffix
        : fragmentOf(flag, outcomes[index] ?? 0).bytes;
    bytesLeft -= text.length;
    if (bytesLeft < 0) {
      throw badField(
        "toggles",
        "repeats names in a list whose response exceeds 1 MiB: send each once",
      );
    }
    return text;
  });
  const text = frame.prefix + flags.join("").slice(SEPARATOR.length) + frame.suffix;
  // NOTE: a digest of each flag would cost far more.
  return new ResponseBody(text, toEntityTag(text));
}
