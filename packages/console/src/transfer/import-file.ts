import { ApiError } from "../api/request.ts";
import { describeError } from "../ui/describe-error.ts";
import { describePlace } from "./describe-place.ts";

/** The largest file that the service accepts. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A file with flags. The service checks its content. */
export interface ImportFile {
  readonly name: string;
  readonly content: object;
  /** Whether Unleash exported the file: it then contains one environment. */
  readonly isOfUnleash: boolean;
}

/** Why a file cannot be imported, in words. */
export class FileProblem extends Error {}

/** @throws {FileProblem} if the file does not contain flags */
export async function readImportFile(file: File): Promise<ImportFile> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileProblem(
      "The file is too large: an import can have up to 16 MiB and 5,000 flags.",
    );
  }
  return parseImportFile(file.name, await file.text());
}

/** @throws {FileProblem} if the text does not contain flags */
export function parseImportFile(name: string, text: string): ImportFile {
  const content = parseJson(text);
  if (typeof content !== "object" || content === null || !("features" in content)) {
    throw new FileProblem(
      "This is not a file with flags: choose one that was exported here or by Unleash.",
    );
  }
  return { name, content, isOfUnleash: "featureStrategies" in content };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new FileProblem(`The file is not valid JSON: ${reason}.`);
  }
}

/** Returns the environment that a file of Unleash contains, if the file says so. */
export function sourceEnvironment({ content, isOfUnleash }: ImportFile): string | undefined {
  if (!isOfUnleash) return undefined;
  const { featureEnvironments: states } = content as { readonly featureEnvironments?: unknown };
  const first: unknown = Array.isArray(states) ? states[0] : undefined;
  return typeof first === "object" &&
    first !== null &&
    "environment" in first &&
    typeof first.environment === "string"
    ? first.environment
    : undefined;
}

/** Returns the names of the environments in which the flags of a file have a state. */
export function environmentsIn({ content }: ImportFile): ReadonlySet<string> {
  const features = entriesOf(content, "features");
  const states = features.flatMap((feature) => entriesOf(feature, "environments"));
  return new Set(states.flatMap((state) => (isRecord(state) ? String(state["name"]) : [])));
}

/** NOTE: the service has not checked the file yet. */
function entriesOf(value: unknown, property: string): readonly unknown[] {
  const entries = isRecord(value) ? value[property] : undefined;
  return Array.isArray(entries) ? entries : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Says why the service rejects a file, and where in the file the reason is. */
export function describeImportError(error: unknown, file: ImportFile | undefined): string {
  if (error instanceof FileProblem) return error.message;
  const [detail] = error instanceof ApiError && error.status < 500 ? error.details : [];
  if (detail?.path === undefined || !detail.path.startsWith("/body")) return describeError(error);
  return describeAt(detail.path, detail.message, file);
}

/** Says what is wrong with a file of Unleash. The message names the place in the request. */
export function describeImportProblem(message: string, file: ImportFile): string {
  const [, path, text] = /(\/body\/\S+) (.+)/s.exec(message) ?? [];
  return path === undefined || text === undefined ? message : describeAt(path, text, file);
}

function describeAt(path: string, message: string, file: ImportFile | undefined): string {
  // A file of Unleash is a part of the request.
  const place = describePlace(path.replace(/^\/body\/data(?=\/|$)/, "/body"), file?.content);
  return place === "" ? `The file ${message}.` : `In ${place}: ${message}.`;
}

/** The name of a downloaded file. */
export function toFileName(project: string, now: Date): string {
  return `${project}-flags-${now.toISOString().slice(0, 10)}.json`;
}
