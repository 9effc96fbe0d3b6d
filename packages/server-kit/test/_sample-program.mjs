// A minimal program, which tests run as a process.
import { once } from "node:events";
import { createServer } from "node:http";
import {
  ConfigError,
  createLogger,
  findUnknownVariables,
  openPort,
  resolveSettings,
  serveUntilSignal,
  StartError,
} from "flags-server-kit";
import { createIntegerKind, runCommandLine, SettingGroup } from "flags-server-kit/command-line";

const settings = {
  port: new SettingGroup("Listening").variable("PORT", {
    kind: createIntegerKind({ min: 0, max: 65_535 }),
    default: 3000,
    description: "Port to listen on.",
  }),
};

const program = {
  name: "sample",
  version: "1.2.3",
  tagline: "Serves as an example.",
  displayName: "the sample",
  settings,
  variablePrefixes: ["SAMPLE_"],
  renamedPrefixes: [],
};

const fail = {
  name: "fail",
  summary: "Fails",
  description: [],
  options: {},
  exitCodes: ["never", "always"],
  run: async () => {
    throw new TypeError("Unexpected");
  },
};

await runCommandLine(program, {
  subcommands: [fail],
  serve: (environment) => serveUntilSignal(program, { loadConfig, serve }, environment),
});

async function loadConfig(environment) {
  const { values, problems } = resolveSettings(settings, { environment });
  if (problems.length > 0) {
    const unknown = findUnknownVariables(program, environment);
    throw new ConfigError(
      problems,
      unknown.map(({ hint }) => hint),
    );
  }
  const logger = createLogger({
    level: environment.LOG_LEVEL ?? "warn",
    json: true,
    secrets: ["hidden"],
  });
  const shutdownDelayMs = Number(environment.SHUTDOWN_DELAY ?? 0);
  return { ...values, shutdownDelayMs, logger, useJsonLogger: true };
}

async function serve({ port }) {
  if (port === 1) throw new StartError("Port 1 is reserved: choose another one with PORT");
  if (port === 2) throw new Error("Unexpected");
  const server = createServer((request, response) => response.end(respond[request.url]()));
  let close = async () => {
    server.close();
    server.closeIdleConnections();
    await once(server, "close");
  };
  const respond = {
    "/": () => "here",
    "/fail-to-close": () => {
      close = () => Promise.reject(new Error("hidden close error"));
      return "done";
    },
    "/never-close": () => {
      close = () => new Promise(() => {});
      return "done";
    },
    "/crash": () => {
      setTimeout(() => {
        throw new Error("hidden error");
      });
      return "soon";
    },
  };
  const { origin } = await openPort(server, { port, host: "127.0.0.1" });
  return { server, address: `${origin}/`, close: () => close() };
}
