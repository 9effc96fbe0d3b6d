import { toErrorMessage } from "flags-server-kit/neutral";
import mustache from "mustache";
import { InvalidParameterError, type Notice } from "./provider.ts";

/** Sections can repeat their content for each entry of a list, and contain others. */
const MAX_SECTIONS = 10_000;

/** A template cannot make the service wait longer than this many repetitions take. */
class LimitedWriter extends mustache.Writer {
  #sections = 0;

  override renderTokens(
    ...parameters: Parameters<InstanceType<typeof mustache.Writer>["renderTokens"]>
  ): string {
    this.#sections += 1;
    if (this.#sections > MAX_SECTIONS) throw new Error("It repeats too much");
    return super.renderTokens(...parameters);
  }
}

interface TemplateValues extends Omit<Notice, "event"> {
  readonly event: object;
}

/**
 * Fills in a template. Values are escaped so that they cannot end the text in which they stand: in JSON, forms, XML and HTML.
 *
 * @throws {Error} if the template is malformed
 */
export function renderTemplate(
  template: string,
  contentType: string,
  { event, text, link }: TemplateValues,
): string {
  // Without anything inherited, which templates could name.
  const plain = JSON.parse(JSON.stringify(event), (_key, value: unknown) =>
    isObject(value) ? Object.assign(Object.create(null), value) : value,
  ) as unknown;
  const values = {
    event: plain,
    eventJson: JSON.stringify(JSON.stringify(event)),
    eventMarkdown: text,
    link: link ?? "",
  };
  return new LimitedWriter().render(template, values, undefined, {
    escape: escapeFor(contentType),
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escapeFor(contentType: string): (value: unknown) => string {
  if (isJson(contentType)) return (value) => JSON.stringify(toText(value)).slice(1, -1);
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return (value) => encodeURIComponent(toText(value));
  }
  if (/\b(?:x|ht)ml\b/i.test(contentType)) return (value) => mustache.escape(toText(value));
  return toText;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isJson(contentType: string): boolean {
  return /^[\w.-]+\/(?:[\w.-]+\+)?json\b/i.test(contentType);
}

/** Values that break what does not escape them. */
const SAMPLE_TEXT = 'a "quoted" \\ name,\nof <two> lines & more';

const SAMPLE: TemplateValues = {
  event: {
    id: 1,
    type: "feature-created",
    createdAt: "2026-01-01T00:00:00.000Z",
    createdBy: SAMPLE_TEXT,
    createdByUserId: 1,
    project: "default",
    environment: "production",
    featureName: SAMPLE_TEXT,
    preData: null,
    data: { name: SAMPLE_TEXT, description: SAMPLE_TEXT, enabled: true },
    tags: [{ type: "simple", value: SAMPLE_TEXT }],
    summary: SAMPLE_TEXT,
    link: null,
  },
  text: SAMPLE_TEXT,
  link: "https://flags.example.com/events",
};

/** @throws {InvalidParameterError} if the template is malformed, or its result for an event with special characters is no JSON */
export function checkTemplate(template: string, contentType: string): void {
  let body: string;
  try {
    body = renderTemplate(template, contentType, SAMPLE);
  } catch (error) {
    throw invalid("must be a valid Mustache template", error);
  }
  if (!isJson(contentType)) return;
  try {
    JSON.parse(body);
  } catch (error) {
    throw invalid(
      "must result in valid JSON, with {{two braces}} inside quotation marks, also for names with quotation marks",
      error,
    );
  }
}

function invalid(problem: string, error: unknown): InvalidParameterError {
  return new InvalidParameterError("bodyTemplate", `${problem}: ${toErrorMessage(error)}`);
}
