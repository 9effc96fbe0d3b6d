import { formatFindings, formatSection, type ReportRow } from "flags-server-kit/command-line";

/** The result of `flags-admin check`. Contains no secrets. */
export interface CheckReport {
  readonly version: string;
  /** Reasons why the service cannot start. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Undefined if settings are invalid. */
  readonly settings?: CheckedSettings | undefined;
  /** Undefined if it cannot be used, and if a start would create it. */
  readonly database?: CheckedDatabase | undefined;
  /** The service that holds the embedded database; undefined if there is none, and with PostgreSQL. */
  readonly service?: RunningService | undefined;
}

/** A selection of the settings. */
export interface CheckedSettings {
  /** Undefined for all addresses. */
  readonly host: string | undefined;
  readonly port: number;
  readonly publicUrl: string | undefined;
  /** The address of the PostgreSQL server, without user and password, or the directory of the embedded database. */
  readonly database: string;
  readonly openIdIssuer: string | undefined;
  /** Tokens in settings. */
  readonly configuredTokens: number;
}

/** A database with its tables. */
export interface CheckedDatabase {
  readonly kind: "embedded" | "postgresql";
  /** Version of PostgreSQL. */
  readonly serverVersion: string;
  readonly sizeBytes: number;
  /** Version of the last applied migration; 0 without tables. */
  readonly schemaVersion: number;
  /** Names of the migrations that the next start applies. */
  readonly pendingMigrations: readonly string[];
}

interface RunningService {
  readonly version: string;
  readonly processId: number;
  readonly port: number;
}

/** Formats a report as text for people. */
export function formatReport(report: CheckReport): string {
  const { settings, database, service } = report;
  return [
    ...(settings === undefined ? [] : formatSection("Settings", settingRows(settings))),
    ...(database === undefined ? [] : formatSection("Database", databaseRows(database))),
    ...(service === undefined ? [] : formatSection("Running service", serviceRows(service))),
    ...formatFindings(report, service ? "the service runs" : "the service can start"),
  ].join("\n");
}

function settingRows(settings: CheckedSettings): readonly ReportRow[] {
  const { host = "all addresses", port, configuredTokens } = settings;
  return [
    ["Port", `${port === 0 ? "any" : port} on ${host}`],
    ["Public URL", settings.publicUrl],
    ["Database", settings.database],
    ["OpenID Connect", settings.openIdIssuer],
    ["Tokens", configuredTokens === 0 ? undefined : `${configuredTokens} in settings`],
  ];
}

const BYTES_PER_MB = 1_048_576;

function databaseRows(database: CheckedDatabase): readonly ReportRow[] {
  const { kind, serverVersion, schemaVersion, pendingMigrations } = database;
  return [
    ["PostgreSQL", `${serverVersion}${kind === "embedded" ? ", embedded" : ""}`],
    ["Size", `${Math.ceil(database.sizeBytes / BYTES_PER_MB)} MB`],
    ["Tables", schemaVersion === 0 ? "none yet" : `version ${schemaVersion}`],
    ["Migrations", describePending(pendingMigrations)],
  ];
}

function describePending(names: readonly string[]): string {
  if (names.length === 0) return "none are pending";
  return `${names.length} pending, which the next start applies: ${names.join(", ")}`;
}

function serviceRows({ version, processId, port }: RunningService): readonly ReportRow[] {
  return [
    ["Version", version],
    ["Process", String(processId)],
    ["Port", String(port)],
  ];
}
