import {
  booleanKind,
  headerValueKind,
  SettingGroup,
  textKind,
} from "flags-server-kit/command-line";
import { storeAddressKind } from "../../store/store-address.ts";

const store = new SettingGroup("Store");

const credential = {
  kind: headerValueKind,
  defaultText: "the credentials of the role",
  secret: true,
};

export const STORE_SETTINGS = {
  store: store.option("store", "FLAGS_STORE", {
    kind: storeAddressKind,
    secret: true,
    secretTexts: ({ secrets }) => secrets,
    description:
      "URL of a store that keeps flags across restarts, so that the proxy can start while the upstream is down. For example file:/var/lib/flags, redis://cache:6379 or s3://bucket/prefix.",
  }),
  storePassword: store.option("storePassword", "FLAGS_STORE_PASSWORD", {
    kind: textKind,
    secret: true,
    description: "Password for Redis, instead of one in FLAGS_STORE.",
  }),
  storeCaFile: store.option("storeCaFile", "FLAGS_STORE_CA_FILE", {
    kind: textKind,
    description:
      "Path of a PEM file with certificates of CAs to trust for Redis with TLS (rediss) and for S3, in addition to those that Node trusts.",
  }),
  sharesFlags: store.option("sharedPolling", "FLAGS_SHARED_POLLING", {
    kind: booleanKind,
    default: true,
    description:
      "With Redis as the store: one of the replicas follows the upstream, and the others get its flags. false: each replica follows the upstream.",
  }),
  storeRegion: store.variable(["AWS_REGION", "AWS_DEFAULT_REGION"], {
    kind: textKind,
    description: "Region of the bucket, unless FLAGS_STORE contains it.",
  }),
  storeAccessKeyId: store.variable("AWS_ACCESS_KEY_ID", {
    ...credential,
    description: "AWS access key id for the bucket.",
  }),
  storeSecretAccessKey: store.variable("AWS_SECRET_ACCESS_KEY", {
    ...credential,
    description: "AWS secret access key for the bucket.",
  }),
  storeSessionToken: store.variable("AWS_SESSION_TOKEN", {
    kind: headerValueKind,
    secret: true,
    description: "Session token of temporary credentials.",
  }),
};
