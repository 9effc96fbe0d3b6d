import type { FastifySchemaCompiler } from "fastify";
import { isRecord } from "flags-server-kit";
import type { TSchema } from "typebox";
import { validatorCompiler } from "../http/validation.ts";
import { MAX_REPORTED_TOGGLES } from "./schemas.ts";

/**
 * Checks usage reports, which have very many values, in a tenth of the time that the schema takes.
 * What is not plainly in order is for the schema to judge, and to find the words for.
 */
export const usageValidatorCompiler: FastifySchemaCompiler<TSchema> = (route) => {
  const judge = validatorCompiler(route);
  return (body: unknown) => isPlainUsage(body) || judge(body);
};

/** Whether the schema would surely accept a body. */
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

function isCount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Infinity;
}
