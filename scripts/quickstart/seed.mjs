import { CONTEXT_FIELDS, FLAGS, SEGMENT } from "./demo.mjs";
import { ENVIRONMENT, PROJECT } from "./settings.mjs";

const PAGE_SIZE = 1000;

/**
 * Creates the demo data and returns the number of created flags. A step that is in the event log is never
 * repeated: later changes and deletions stay, and an interrupted seeding continues.
 */
export async function seed(admin) {
  const [fields, segments, done] = await Promise.all([
    createdNames(admin, "context-field-created"),
    createdNames(admin, "segment-created"),
    findSteps(admin),
  ]);
  for (const field of CONTEXT_FIELDS) {
    if (!fields.has(field.name)) await admin.post("/context", field);
  }
  if (!segments.has(SEGMENT.name)) await admin.post("/segments", SEGMENT);

  let count = 0;
  for (const flag of FLAGS) if (await seedFlag(admin, flag, done)) count += 1;
  return count;
}

async function seedFlag(admin, { name, type, description, ...targeting }, done) {
  const features = `/projects/${PROJECT}/features`;
  const isNew = !done.has(`feature-created ${name}`);
  if (isNew) await admin.post(features, { name, type, description });

  const environment = `${features}/${name}/environments/${ENVIRONMENT}`;
  if (!done.has(`feature-strategy-add ${name}`)) {
    await admin.post(`${environment}/strategies`, {
      ...targeting.strategy,
      segments: targeting.segment ? [await findSegment(admin, targeting.segment)] : [],
    });
  }
  if (targeting.enabled && !done.has(`feature-environment-enabled ${name}`)) {
    await admin.post(`${environment}/on`);
  }
  return isNew;
}

async function findSegment(admin, name) {
  const { segments } = await admin.get("/segments");
  return segments.find((segment) => segment.name === name).id;
}

/** Returns the steps that have been done for the demo flags, as `event flag`. */
async function findSteps(admin) {
  const names = FLAGS.map(({ name }) => name).join();
  const types = ["feature-created", "feature-strategy-add", "feature-environment-enabled"].join();
  const events = await findEvents(admin, `type=IS_ANY_OF:${types}&feature=IS_ANY_OF:${names}`);
  return new Set(events.map(({ type, featureName }) => `${type} ${featureName}`));
}

async function createdNames(admin, type) {
  const events = await findEvents(admin, `type=IS:${type}`);
  return new Set(events.map(({ data }) => data?.name));
}

async function findEvents(admin, query) {
  const events = [];
  for (;;) {
    const path = `/search/events?${query}&limit=${PAGE_SIZE}&offset=${events.length}`;
    const page = await admin.get(path);
    events.push(...page.events);
    if (page.events.length < PAGE_SIZE) return events;
  }
}
