import type { FastifySchemaCompiler } from "fastify";
import { isRecord } from "flags-server-kit";
import type { TSchema } from "typebox";
import { validatorCompiler } from "../http/validation.ts";
import { COUNT_DIGITS, MAX_REPORTED_TOGGLES } from "./schemas.ts";

/**
 * Validates usage reports, which contain very many values, in a tenth of the time that their schema
 * takes. A report that does not pass the quick check is validated with the schema, which also produces
 * the error messages.
 */
export const usageValidatorCompiler: FastifySchemaCompiler<TSchema> = (route) => {
  const validate = validatorCompiler(route);
  return (body: unknown) => isPlainUsage(body) || validate(body);
};

/** Returns whether a body is certain to match `UsageBody`. May return false for a valid body. */
export function isPlainUsage(body: unknown): boolean {
  return (
    isRecord(body) &&
    typeof body["appName"] === "string" &&
    body["appName"] !== "" &&
    isPlainBucket(body["bucket"])
  );
}

function isPlainBucket(bucket: unknown): boolean {
  if (!isRecord(bucket) || typeof bucket["start"] !== "string") return false;
  const { toggles } = bucket;
  if (!isRecord(toggles)) return false;
  const names = Object.keys(toggles);
  return (
    names.length <= MAX_REPORTED_TOGGLES && names.every((name) => isPlainToggle(toggles[name]))
  );
}

function isPlainToggle(toggle: unknown): boolean {
  if (!isRecord(toggle)) return false;
  const { yes, no, variants } = toggle;
  return isCount(yes) && isCount(no) && (variants === undefined || arePlainVariants(variants));
}

function arePlainVariants(variants: unknown): boolean {
  return isRecord(variants) && Object.values(variants).every(isCount);
}

const DIGITS = new RegExp(COUNT_DIGITS);

function isCount(value: unknown): boolean {
  if (typeof value === "string") return DIGITS.test(value);
  return typeof value === "number" && value >= 0 && value < Infinity;
}
