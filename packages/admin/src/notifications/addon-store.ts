import { and, count, eq, inArray, sql } from "drizzle-orm";
import { badData, exceedsLimit, invalidOperation, mustExist, notFound } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Database, firstRow } from "../storage/database.ts";
import { OFFERED_EVENTS } from "../storage/event-groups.ts";
import { addons, notifications } from "../storage/schema/notifications.ts";
import { environments, projects } from "../storage/schema/projects.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { InvalidParameterError, type Provider } from "./providers/provider.ts";
import { findProvider, PROVIDERS } from "./providers/providers.ts";
import { sampleNotice } from "./sample-notice.ts";
import { createSecret } from "./signature.ts";

export type Addon = typeof addons.$inferSelect;

/** What an admin decides. */
export interface AddonSettings {
  readonly enabled: boolean;
  readonly description: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly projects: readonly string[];
  readonly environments: readonly string[];
}

/** What is shown instead of a secret value. Sending it back keeps the stored one. */
export const MASKED = "*****";

/** For how long the previous secret of an addon also signs. */
const PREVIOUS_SECRET_MS = 24 * 60 * 60_000;

/** @throws {ApiError} 404 if there is no such addon */
export async function getAddon(db: Database, id: number): Promise<Addon> {
  const [addon] = await db.select().from(addons).where(eq(addons.id, id));
  if (addon === undefined) throw notFound(`There is no notification ${id}`);
  return addon;
}

/** @throws {ApiError} 400 if there is no such provider */
export function getProvider(name: string): Provider {
  const provider = findProvider(name);
  if (provider !== undefined) return provider;
  const names = PROVIDERS.map(({ name: known }) => known).join(", ");
  throw badData("/body/provider", `must be one of ${names}`);
}

/**
 * @throws {ApiError} 400 if the settings are invalid, or there are too many addons
 */
export async function createAddon(
  { db, record }: WriteTransaction,
  name: string,
  settings: AddonSettings,
): Promise<Addon> {
  const provider = getProvider(name);
  checkParameters(provider, settings.parameters);
  await checkFilters(db, settings);
  const { existing } = firstRow(await db.select({ existing: count() }).from(addons));
  if (existing >= LIMITS.addons) throw exceedsLimit("notifications", LIMITS.addons);
  const addon = firstRow(
    await db
      .insert(addons)
      .values({ provider: name, ...settings, secret: provider.isSigned ? createSecret() : null })
      .returning(),
  );
  await record({ type: "addon-config-created", after: toRecorded(addon) });
  return addon;
}

/**
 * Replaces the settings of an addon. Masked values stay as they are. If it is disabled, what is still to be sent is given up.
 *
 * @throws {ApiError} 400 or 404
 */
export async function updateAddon(
  transaction: WriteTransaction,
  id: number,
  changes: Partial<AddonSettings> & Pick<AddonSettings, "parameters">,
): Promise<Addon> {
  const { db, record } = transaction;
  const before = await getAddon(db, id);
  const provider = getProvider(before.provider);
  const settings = { ...before, ...changes, parameters: unmask(changes.parameters, before) };
  checkParameters(provider, settings.parameters);
  await checkFilters(db, settings, before);
  const isChanged = JSON.stringify(settings.parameters) !== JSON.stringify(before.parameters);
  const isRestarted = isChanged || (settings.enabled && !before.enabled);
  const after = firstRow(
    await db
      .update(addons)
      .set({
        ...changes,
        parameters: settings.parameters,
        ...(isRestarted && { failingSince: null }),
        ...(settings.enabled && { disabledReason: null }),
      })
      .where(eq(addons.id, id))
      .returning(),
  );
  if (!after.enabled) await giveUp(db, id);
  await record({
    type: "addon-config-updated",
    before: toRecorded(before),
    // Parameters are secret, so the event only says that they have changed.
    after: { ...toRecorded(after), ...(isChanged && { parametersChanged: true }) },
  });
  return after;
}

/** Disables an addon for a reason that is shown, unless somebody has changed or disabled it meanwhile. */
export async function disableAddon(
  { db, record }: WriteTransaction,
  { id, parameters }: Pick<Addon, "id" | "parameters">,
  reason: string,
): Promise<boolean> {
  const [before] = await db.select().from(addons).where(eq(addons.id, id));
  if (before === undefined || !before.enabled) return false;
  if (JSON.stringify(before.parameters) !== JSON.stringify(parameters)) return false;
  await db.update(addons).set({ enabled: false, disabledReason: reason }).where(eq(addons.id, id));
  await giveUp(db, id);
  await record({
    type: "addon-config-updated",
    before: toRecorded(before),
    after: { ...toRecorded(before), enabled: false, reason },
  });
  return true;
}

async function giveUp(db: Database, addon: number): Promise<void> {
  await db
    .update(notifications)
    .set({
      state: "failed",
      nextAt: null,
      lockedUntil: null,
      reason: sql`coalesce(${notifications.reason} || '. ', '') || 'Not tried again, because notifications were turned off'`,
    })
    .where(and(eq(notifications.addon, addon), eq(notifications.state, "pending")));
}

/** @throws {ApiError} 404 if there is no such addon */
export async function deleteAddon({ db, record }: WriteTransaction, id: number): Promise<void> {
  const before = await getAddon(db, id);
  await db.delete(addons).where(eq(addons.id, id));
  await record({ type: "addon-config-deleted", before: toRecorded(before) });
}

/**
 * Gives an addon a new secret. The previous one also signs for a day.
 *
 * @throws {ApiError} 403 if its requests are not signed, 404 if there is no such addon
 */
export async function rotateSecret({ db, record }: WriteTransaction, id: number, now: Date) {
  const before = await getAddon(db, id);
  if (before.secret === null) {
    throw invalidOperation(`Requests of the provider ${before.provider} are not signed`);
  }
  const secret = createSecret();
  const previousSecretUntil = new Date(now.getTime() + PREVIOUS_SECRET_MS);
  await db
    .update(addons)
    .set({ secret, previousSecret: before.secret, previousSecretUntil })
    .where(eq(addons.id, id));
  const recorded = toRecorded(before);
  await record({
    type: "addon-config-updated",
    before: recorded,
    after: { ...recorded, secretChanged: true },
  });
  return { secret, previousSecretUntil };
}

/** An addon as events contain it: without parameters and secrets. */
function toRecorded(addon: Addon) {
  const { id, provider, enabled, description, events, projects, environments } = addon;
  return { id, provider, enabled, description, events, projects, environments };
}

/** Returns parameters in which masked values are the stored ones. */
export function unmask(
  parameters: AddonSettings["parameters"],
  { provider, parameters: stored }: Addon,
): AddonSettings["parameters"] {
  const secret = new Set(
    getProvider(provider)
      .parameters.filter(({ sensitive }) => sensitive)
      .map(({ name }) => name),
  );
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const kept = Object.hasOwn(stored, name) ? stored[name] : undefined;
      return [name, value === MASKED && secret.has(name) ? (kept ?? value) : value];
    }),
  );
}

/** @throws {ApiError} 400 if a parameter is missing, unknown or invalid */
function checkParameters(provider: Provider, parameters: AddonSettings["parameters"]): void {
  const known = new Map(provider.parameters.map((parameter) => [parameter.name, parameter]));
  for (const [name, value] of Object.entries(parameters)) {
    const path = `/body/parameters/${name}`;
    const parameter = known.get(name);
    if (parameter === undefined) {
      const names = [...known.keys()].join(", ");
      throw badData(path, `is not a parameter of ${provider.name}, which has ${names}`);
    }
    if (parameter.sensitive && value === MASKED) {
      throw badData(path, `must be given: there is no stored value that ${MASKED} could keep`);
    }
  }
  for (const { name, required } of provider.parameters) {
    if (required && (parameters[name] ?? "").trim() === "") {
      throw badData(`/body/parameters/${name}`, `is required by ${provider.name}`);
    }
  }
  try {
    provider.check?.(parameters);
    provider.write(sampleNotice(undefined), parameters);
  } catch (error) {
    if (!(error instanceof InvalidParameterError)) throw error;
    throw badData(`/body/parameters/${error.parameter}`, error.message);
  }
}

const KNOWN_EVENTS: ReadonlySet<string> = new Set(OFFERED_EVENTS);

/**
 * What an addon already refers to may have been deleted.
 *
 * @throws {ApiError} 400 if an event is not offered, or a project or an environment does not exist
 */
async function checkFilters(
  db: Database,
  settings: AddonSettings,
  before?: AddonSettings,
): Promise<void> {
  const added = (list: "environments" | "events" | "projects") =>
    settings[list].filter((name) => name !== "*" && before?.[list].includes(name) !== true);
  const unoffered = added("events").find((type) => !KNOWN_EVENTS.has(type));
  if (unoffered !== undefined) {
    throw badData(
      "/body/events",
      `must contain types of events that are offered, see GET /api/admin/addons: ${JSON.stringify(unoffered)} is not`,
    );
  }
  const ids = added("projects");
  const names = added("environments");
  const foundProjects = await db
    .select({ name: projects.id })
    .from(projects)
    .where(inArray(projects.id, ids));
  const foundEnvironments = await db
    .select({ name: environments.name })
    .from(environments)
    .where(inArray(environments.name, names));
  for (const [path, kind, wanted, found] of [
    ["/body/projects", "project", ids, foundProjects],
    ["/body/environments", "environment", names, foundEnvironments],
  ] as const) {
    const missing = wanted.find((name) => !found.some((each) => each.name === name));
    if (missing !== undefined) throw mustExist(path, kind, missing);
  }
}
