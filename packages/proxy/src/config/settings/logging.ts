import {
  booleanKind,
  createChoiceKind,
  SettingGroup,
  TELEMETRY_GROUP,
  textKind,
} from "flags-server-kit/settings";
import { LOG_LEVELS } from "flags-server-kit/neutral";
import { loggerKind } from "../proxy-setting-kinds.ts";

const logging = new SettingGroup("Logging");
const telemetry = new SettingGroup(TELEMETRY_GROUP);

export const LOGGING_SETTINGS = {
  logger: logging.option("logger", [], {
    kind: loggerKind,
    defaultText: "built in",
    description:
      "Logger to use instead of the built-in one: any object with the methods of console.",
  }),
  useJsonLogger: logging.option("useJsonLogger", "JSON_LOGGER", {
    kind: booleanKind,
    default: false,
    description: "Writes one line of JSON per message. Has no effect on a custom logger.",
  }),
  logLevel: logging.option("logLevel", "LOG_LEVEL", {
    kind: createChoiceKind(LOG_LEVELS),
    default: "warn",
    description:
      "Lowest level that is logged: debug, info, warn, error or fatal. Has no effect on a custom logger.",
  }),
  evaluationIdKey: telemetry.variable("FLAGS_EVALUATION_ID_KEY", {
    kind: textKind,
    secret: true,
    description:
      "Secret with which user ids are hashed (HMAC-SHA256) for feature_flag.evaluation events. Without it, events do not identify the user.",
  }),
};
