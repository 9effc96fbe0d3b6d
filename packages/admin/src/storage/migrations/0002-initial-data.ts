import type { Migration } from "./migration.ts";

/** Contents of a new database. No user made these changes, so no events are recorded for them. */
export const initialData: Migration = {
  version: 2,
  name: "initial data",
  statements: [
    `insert into environments (name, type, sort_order) values
      ('development', 'development', 2),
      ('production', 'production', 3)`,
    `insert into projects (id, name, description) values
      ('default', 'Default', 'Exists in every installation and cannot be archived')`,
    `insert into project_environments (project, environment) values
      ('default', 'development'),
      ('default', 'production')`,
    `insert into context_fields (name, description, stickiness, sort_order) values
      ('environment', 'Where the application runs', false, 0),
      ('userId', 'Who uses the application', false, 1),
      ('appName', 'Name of the application', false, 2),
      ('currentTime', 'Time of the evaluation', false, 3),
      ('sessionId', 'Session of the user', true, 4)`,
    `insert into tag_types (name, description) values
      ('simple', 'Groups flags by a single word')`,
  ],
};
