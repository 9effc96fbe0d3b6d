import { notFound, type ApiError } from "../../errors.ts";

export function noSuchEnvironment(feature: string, environment: string): ApiError {
  return notFound(
    `The feature ${JSON.stringify(feature)} has no environment ${JSON.stringify(environment)}`,
  );
}
