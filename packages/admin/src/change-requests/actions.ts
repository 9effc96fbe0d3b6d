import { type Static, type TSchema, Type } from "typebox";
import type { Performer } from "../access/performer.ts";
import { includesLevel } from "../access/role.ts";
import { archiveFeature } from "../domain/archive/archive-features.ts";
import { reviveFeatures } from "../domain/archive/revive-features.ts";
import { DependencyBody } from "../domain/dependencies/schemas.ts";
import { removeParents, setParent } from "../domain/dependencies/store.ts";
import { moveFeature } from "../domain/features/move-feature.ts";
import { replaceRules } from "../domain/features/environment-rules.ts";
import { ChangeProjectBody, EnvironmentRulesBody } from "../domain/features/schemas.ts";
import { switchFeatures } from "../domain/features/switch-features.ts";
import { SegmentBody } from "../domain/segments/schemas.ts";
import { deleteSegment, getSegment, updateSegment } from "../domain/segments/store.ts";
import { getStrategy, toStrategyView } from "../domain/strategies/find-strategies.ts";
import {
  CreateStrategyBody,
  StrategyOrderBody,
  UpdateStrategyBody,
} from "../domain/strategies/schemas.ts";
import {
  addStrategy,
  deleteStrategy,
  orderStrategies,
  replaceStrategy,
} from "../domain/strategies/write-strategies.ts";
import { FlagVariantsBody } from "../domain/variants/schemas.ts";
import { replaceVariants } from "../domain/variants/store.ts";
import { ApiError, badData, unknownProject, unknownSegment } from "../errors.ts";
import { bodyObject, closedObject, MAX_INT32 } from "../http/schemas.ts";
import { toValidationError } from "../http/to-api-error.ts";
import { compileOnUse } from "../http/validation.ts";
import type { Place } from "../storage/protected-places.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { setPlan } from "../rollout-plans/plan.ts";
import { Steps } from "../rollout-plans/schemas.ts";
import { importProject } from "../transfer/project-file/import-project.ts";
import { ProjectFile } from "../transfer/project-file/schemas.ts";
import { overlay, type Expectation } from "./expectation.ts";

/** A change to make. */
export interface Target<Payload> {
  readonly place: Place;
  /** Name of the flag; empty for changes of segments, and for imports. */
  readonly feature: string;
  readonly payload: Payload;
  /** What the change did when it was requested; undefined while it is being requested. */
  readonly expected: Expectation | undefined;
}

interface Action<Schema extends TSchema = TSchema> {
  /** Schema of the payload. */
  readonly payload: Schema;
  readonly isAbout: "file" | "flag" | "segment";
  /** Makes the change, with the function that its own route calls. Throws an `ApiError` if it cannot be made. */
  readonly perform: (
    transaction: WriteTransaction,
    target: Target<Static<Schema>>,
    performer: Performer,
  ) => Promise<unknown>;
}

function define<Schema extends TSchema>(action: Action<Schema>): Action<Schema> {
  return action;
}

const Nothing = Type.Optional(Type.Union([closedObject("noPayloadSchema", {}), Type.Null()]));
const StrategyId = Type.String({ maxLength: 100 });
const SegmentId = Type.Integer({ minimum: 1, maximum: MAX_INT32 });

/** The changes that can be requested, by the name of their action in the wire protocol, or a name of ours. */
const ACTIONS = {
  updateEnabled: define({
    payload: bodyObject("updateEnabledPayloadSchema", {
      enabled: Type.Boolean(),
      shouldActivateDisabledStrategies: Type.Optional(Type.Boolean()),
    }),
    isAbout: "flag",
    perform: (transaction, { place, feature, payload }) =>
      switchFeatures(transaction, place, [feature], {
        enabled: payload.enabled,
        activatesDisabledStrategies: payload.shouldActivateDisabledStrategies === true,
      }),
  }),
  addStrategy: define({
    payload: CreateStrategyBody,
    isAbout: "flag",
    perform: (transaction, { place, feature, payload }) =>
      addStrategy(transaction, { ...place, feature }, payload),
  }),
  updateStrategy: define({
    payload: bodyObject(
      "updateStrategyPayloadSchema",
      {
        ...UpdateStrategyBody.properties,
        id: StrategyId,
      },
      ["warnings"],
    ),
    isAbout: "flag",
    perform: async (transaction, { place, feature, payload: { id, ...payload }, expected }) => {
      const address = { ...place, feature, id };
      if (expected === undefined) return replaceStrategy(transaction, address, payload);
      const { id: _id, ...current } = toStrategyView(await getStrategy(transaction.db, address));
      return replaceStrategy(transaction, address, overlay(current, expected));
    },
  }),
  deleteStrategy: define({
    payload: bodyObject("deleteStrategyPayloadSchema", { id: StrategyId }),
    isAbout: "flag",
    perform: (transaction, { place, feature, payload: { id } }) =>
      deleteStrategy(transaction, { ...place, feature, id }),
  }),
  reorderStrategy: define({
    payload: StrategyOrderBody,
    isAbout: "flag",
    perform: (transaction, { place, feature, payload }) =>
      orderStrategies(transaction, { ...place, feature }, payload),
  }),
  setRolloutPlan: define({
    payload: bodyObject("setRolloutPlanPayloadSchema", { id: StrategyId, steps: Steps }),
    isAbout: "flag",
    perform: (transaction, { place, feature, payload: { id, steps } }) =>
      setPlan(transaction, { ...place, feature, id }, steps),
  }),
  patchVariant: define({
    payload: bodyObject("patchVariantPayloadSchema", { variants: FlagVariantsBody }),
    isAbout: "flag",
    perform: (transaction, { place, feature, payload }) =>
      replaceVariants(transaction, { ...place, feature }, payload.variants),
  }),
  replaceRules: define({
    payload: EnvironmentRulesBody,
    isAbout: "flag",
    perform: (transaction, { place, feature, payload }) =>
      replaceRules(transaction, { ...place, feature }, payload),
  }),
  archiveFeature: define({
    payload: Nothing,
    isAbout: "flag",
    perform: (transaction, { place, feature }) =>
      archiveFeature(transaction, { project: place.project, feature }),
  }),
  reviveFeature: define({
    payload: Nothing,
    isAbout: "flag",
    perform: (transaction, { place, feature }) =>
      reviveFeatures(transaction, place.project, [feature]),
  }),
  moveFeature: define({
    payload: ChangeProjectBody,
    isAbout: "flag",
    perform: (transaction, { place, feature, payload: { newProjectId } }, performer) => {
      requireEditor(performer, newProjectId);
      return moveFeature(transaction, { project: place.project, feature }, newProjectId);
    },
  }),
  addDependency: define({
    payload: DependencyBody,
    isAbout: "flag",
    perform: (transaction, { place, feature, payload }) =>
      setParent(transaction, { project: place.project, feature }, payload),
  }),
  deleteDependency: define({
    payload: Nothing,
    isAbout: "flag",
    perform: (transaction, { place, feature }) =>
      removeParents(transaction, { project: place.project, feature }),
  }),
  updateSegment: define({
    payload: bodyObject(
      "updateSegmentPayloadSchema",
      { ...SegmentBody.properties, id: SegmentId },
      ["createdAt", "createdBy", "usedInFeatures", "usedInProjects"],
    ),
    isAbout: "segment",
    perform: async (transaction, { payload: { id, ...payload }, expected }, performer) => {
      const segment = await getSegment(transaction.db, id);
      requireEditor(performer, segment.project, unknownSegment(id));
      if (typeof payload.project === "string") requireEditor(performer, payload.project);
      if (expected === undefined) return updateSegment(transaction, id, payload, performer.access);
      const current = overlay(segment, expected) as typeof payload;
      return updateSegment(transaction, id, current, performer.access);
    },
  }),
  deleteSegment: define({
    payload: bodyObject("deleteSegmentPayloadSchema", { id: SegmentId }),
    isAbout: "segment",
    perform: async (transaction, { payload: { id } }, performer) => {
      const segment = await getSegment(transaction.db, id);
      requireEditor(performer, segment.project, unknownSegment(id));
      await deleteSegment(transaction, id, performer.access);
    },
  }),
  importProject: define({
    payload: ProjectFile,
    isAbout: "file",
    perform: (transaction, { place, payload }, { access }) =>
      importProject(transaction, { project: place.project, access }, payload),
  }),
} as const;

export type ActionName = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

/**
 * Checks that a change may be made in another project than that of the request, or in none (null).
 *
 * @param unknown the error if the project does not exist for the performer
 * @throws {ApiError} if not
 */
function requireEditor(
  { role, access }: Performer,
  project: string | null,
  unknown: ApiError = unknownProject(project ?? ""),
): void {
  const level = project === null ? role : access.levelIn(project);
  if (level === undefined) throw unknown;
  if (includesLevel(level, "editor")) return;
  const place = project === null ? "what all projects share" : "this project";
  throw new ApiError("PermissionError", `You may not change ${place}: contact an admin`);
}

const checks = new Map(
  ACTION_NAMES.map((name) => [name, compileOnUse(ACTIONS[name].payload as object)]),
);

/** What somebody requests. */
export interface RequestedChange {
  readonly action: ActionName;
  readonly feature: string | null;
  readonly payload: unknown;
}

/**
 * Checks that a change names a flag if its action is about one, and that its payload has the right form.
 *
 * @param path of the change in the request, such as `/body/0`
 * @throws {ApiError} if not
 */
export function checkChange({ action, feature, payload }: RequestedChange, path: string): void {
  const { isAbout } = ACTIONS[action];
  if (isAbout === "flag" && feature === null) {
    throw badData(`${path}/feature`, `is missing: ${action} changes a flag`);
  }
  if (isAbout !== "flag" && feature !== null) {
    throw badData(`${path}/feature`, `must be absent: ${action} changes no single flag`);
  }
  const violations = checks.get(action)?.(payload ?? (isEmptyAllowed(action) ? {} : payload));
  if (violations !== undefined) throw toValidationError(`${path}/payload`, violations);
}

function isEmptyAllowed(action: ActionName): boolean {
  return ACTIONS[action].payload === Nothing;
}

/** Makes a change whose form has been checked. */
export async function performChange(
  transaction: WriteTransaction,
  place: Place,
  { action, feature, payload, expected }: RequestedChange & Pick<Target<unknown>, "expected">,
  performer: Performer,
): Promise<void> {
  // The payload has the form of the action: see `checkChange()`.
  const { perform } = ACTIONS[action] as Action;
  await perform(transaction, { place, feature: feature ?? "", payload, expected }, performer);
}
