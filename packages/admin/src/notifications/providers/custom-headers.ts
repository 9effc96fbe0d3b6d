import { validateHeaderName, validateHeaderValue } from "node:http";
import { InvalidParameterError, type ParameterDefinition, type Parameters } from "./provider.ts";

/** Headers that the service sets itself. */
const RESERVED =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer|webhook-.*)$/i;

export const CUSTOM_HEADERS: ParameterDefinition = {
  name: "customHeaders",
  displayName: "Additional headers",
  type: "textfield",
  description: 'A JSON object of names and values, such as {"X-Team": "checkout"}.',
  required: false,
  sensitive: true,
};

/** @throws {InvalidParameterError} if they are no JSON object of valid headers, or contain one that the service sets */
export function readCustomHeaders({ customHeaders = "" }: Parameters): Record<string, string> {
  if (customHeaders.trim() === "") return {};
  const parsed = parseJson(customHeaders);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw invalid('must be a JSON object of names and values, such as {"X-Team": "checkout"}');
  }
  for (const [name, value] of Object.entries(parsed)) {
    if (RESERVED.test(name)) throw invalid(`must not contain ${name}, which the service sets`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, typeof value === "string" ? value : "\n");
    } catch {
      throw invalid(`must contain valid headers: ${JSON.stringify(name)} is not one`);
    }
  }
  return parsed as Record<string, string>;
}

function invalid(message: string): InvalidParameterError {
  return new InvalidParameterError("customHeaders", message);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
