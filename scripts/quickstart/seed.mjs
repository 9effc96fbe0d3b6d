import { CONTEXT_FIELDS, FLAGS, SEGMENT } from "./demo.mjs";
import { ENVIRONMENT, PROJECT } from "./settings.mjs";

const MAX_EVENTS = 1000;

/**
 * Creates the demo data and returns the number of created flags. A step that is in the event log is never
 * repeated: later changes and deletions stay, and an interrupted seeding continues.
 */
export async function seed(admin) {
  const fields = await createdNames(admin, "context-field-created");
  for (const field of CONTEXT_FIELDS) {
    if (!fields.has(field.name)) await admin.post("/context", field);
  }
  const segments = await createdNames(admin, "segment-created");
  if (!segments.has(SEGMENT.name)) await admin.post("/segments", SEGMENT);

  let count = 0;
  for (const flag of FLAGS) if (await seedFlag(admin, flag)) count += 1;
  return count;
}

async function seedFlag(admin, { name, type, description, ...targeting }) {
  const features = `/projects/${PROJECT}/features`;
  const isNew = !(await hasHappened(admin, "feature-created", name));
  if (isNew) await admin.post(features, { name, type, description });

  const environment = `${features}/${name}/environments/${ENVIRONMENT}`;
  if (!(await hasHappened(admin, "feature-strategy-add", name))) {
    await admin.post(`${environment}/strategies`, {
      ...targeting.strategy,
      segments: targeting.segment ? [await findSegment(admin, targeting.segment)] : [],
    });
  }
  if (targeting.enabled && !(await hasHappened(admin, "feature-environment-enabled", name))) {
    await admin.post(`${environment}/on`);
  }
  return isNew;
}

async function findSegment(admin, name) {
  const { segments } = await admin.get("/segments");
  return segments.find((segment) => segment.name === name).id;
}

async function hasHappened(admin, type, feature) {
  const { total } = await admin.get(`/search/events?type=IS:${type}&feature=IS:${feature}&limit=1`);
  return total > 0;
}

async function createdNames(admin, type) {
  const { events } = await admin.get(`/search/events?type=IS:${type}&limit=${MAX_EVENTS}`);
  return new Set(events.map(({ data }) => data?.name));
}
