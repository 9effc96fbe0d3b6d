import type { Migration } from "./migration.ts";

/** What a fresh database holds. Nobody did this, so no events tell of it. */
export const initialData: Migration = {
  version: 2,
  name: "initial data",
  statements: [
    `insert into environments (name, type, sort_order) values
      ('development', 'development', 2),
      ('production', 'production', 3)`,
    `insert into projects (id, name, description) values
      ('default', 'Default', 'The project that is always there')`,
    `insert into project_environments (project, environment) values
      ('default', 'development'),
      ('default', 'production')`,
    `insert into context_fields (name, description, stickiness, sort_order) values
      ('environment', 'Where the application runs', false, 0),
      ('userId', 'Who uses the application', false, 1),
      ('appName', 'Which application asks', false, 2),
      ('currentTime', 'When the application asks', false, 3),
      ('sessionId', 'Which session the application asks for', true, 4)`,
    `insert into tag_types (name, description) values
      ('simple', 'Groups flags by a word')`,
  ],
};
