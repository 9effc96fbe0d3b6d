import { badData } from "../../errors.ts";
import { readApprovalsIn } from "../../storage/protected-places.ts";
import { collectEvents } from "../../storage/collect-events.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { ProjectEnvironment } from "../default-strategies.ts";
import { switchFeatures } from "./switch-features.ts";

/**
 * Turns flags off in an environment, even if changes there require approvals: in an emergency, nobody should have to wait.
 *
 * @param reason required if changes there require approvals. It is recorded
 * @throws {ApiError} if a flag is unknown, archived, or not part of the environment, or the reason is missing
 */
export async function turnOffNow(
  transaction: WriteTransaction,
  at: ProjectEnvironment,
  names: readonly string[],
  reason: string | undefined,
): Promise<void> {
  const required = await readApprovalsIn(transaction.db, at);
  if (required === 0) {
    await switchFeatures(transaction, at, names, OFF);
    return;
  }
  if (reason === undefined) {
    throw badData(
      "/body/reason",
      "is missing: changes in this environment require approvals, so say why the flag is turned off without them",
    );
  }
  const { transaction: collecting, events } = collectEvents(transaction);
  await switchFeatures(collecting, at, names, OFF);
  transaction.approve(Number.POSITIVE_INFINITY);
  await transaction.record(
    ...events,
    ...events.map(({ project, environment, feature }) => ({
      type: "feature-environment-disabled-without-approval" as const,
      project,
      environment,
      feature,
      after: { reason },
    })),
  );
}

const OFF = { enabled: false, activatesDisabledStrategies: false };
