import { badData } from "../errors.ts";
import type { AllowList } from "./allow-list.ts";
import { findTarget, RefusedTargetError, type Resolve } from "./find-target.ts";
import type { Parameters, Provider } from "./providers/provider.ts";

/**
 * Checks the address of a receiver when it is saved; it is checked again for each message. A name that cannot be looked up
 * is accepted: it may exist later.
 *
 * @throws {ApiError} 400 if nothing may be sent to the address
 */
export async function checkTarget(
  provider: Provider,
  parameters: Parameters,
  { allowed, resolve }: { readonly allowed: AllowList; readonly resolve?: Resolve | undefined },
): Promise<void> {
  const url = provider.urlOf(parameters);
  // A missing one is another problem.
  if (url.trim() === "") return;
  try {
    await findTarget(url, allowed, resolve);
  } catch (error) {
    if (!(error instanceof RefusedTargetError)) return;
    throw badData("/body/parameters/url", error.message);
  }
}
