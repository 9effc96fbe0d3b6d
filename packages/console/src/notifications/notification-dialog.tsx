import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { notificationQueries } from "../api/notification-queries.ts";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Addon, AddonProvider } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { CheckboxList } from "../ui/checkbox-list.tsx";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import type { FieldSubjects } from "../ui/field-errors.ts";
import { TextField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Select } from "../ui/select.tsx";
import { GROUPS, isAll } from "./describe-notification.ts";
import { EventChoice } from "./event-choice.tsx";

interface NotificationDialogProps {
  /** The notification that is changed; undefined for a new one. */
  readonly addon?: Addon;
  readonly onClose: () => void;
}

/** Creates or changes a notification. */
export function NotificationDialog(props: NotificationDialogProps) {
  const query = useQuery(notificationQueries.all());
  if (query.data !== undefined) {
    return <NotificationForm {...props} providers={query.data.providers} />;
  }
  return (
    <Dialog title="Notification" size="wide" onClose={props.onClose}>
      <div className="dialog-content">
        <Loaded query={query}>{() => null}</Loaded>
      </div>
    </Dialog>
  );
}

/** What most people want to hear of. */
const USUAL_EVENTS: readonly string[] = GROUPS.filter(({ name }) =>
  ["flags", "change requests", "schedules", "rollout plans"].includes(name),
).flatMap(({ types }) => types);

interface Draft {
  readonly provider: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly projects: readonly string[];
  readonly environments: readonly string[];
}

function toDraft(addon: Addon | undefined): Draft {
  if (addon !== undefined) return { ...addon, description: addon.description ?? "" };
  return {
    provider: "slack",
    description: "",
    parameters: {},
    events: USUAL_EVENTS,
    projects: [],
    environments: [],
  };
}

/** Returns the draft as the service stores it, with only the parameters of its provider that have a value. */
function toBody(draft: Draft, parameters: AddonProvider["parameters"]) {
  const { provider, description, events, projects, environments } = draft;
  const values = parameters.flatMap(({ name }) => {
    const value = draft.parameters[name]?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return {
    provider,
    description: description.trim(),
    parameters: Object.fromEntries(values),
    events,
    projects,
    environments,
  };
}

/** Returns the path and the method of saving, and the words for it. */
function describeSaving(addon: Addon | undefined) {
  return addon === undefined
    ? {
        method: "POST" as const,
        path: adminPath`/addons`,
        enabled: true,
        title: "New notification",
        submit: "Create notification",
        success: "Created the notification",
      }
    : {
        method: "PUT" as const,
        path: adminPath`/addons/${String(addon.id)}`,
        enabled: addon.enabled,
        title: "Change the notification",
        submit: "Save",
        success: "Saved the notification",
      };
}

interface NotificationFormProps extends NotificationDialogProps {
  readonly providers: readonly AddonProvider[];
}

function NotificationForm({ addon, providers, onClose }: NotificationFormProps) {
  const [draft, setDraft] = useState(() => toDraft(addon));
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed });
  // NOTE: only here, in no cache and in no storage, so that it is gone when the dialog closes.
  const [secret, setSecret] = useState<string>();
  const { data: projects } = useQuery(queries.projects());
  const { data: environments } = useQuery(queries.environments());
  const provider = providers.find(({ name }) => name === draft.provider);
  const parameters = provider?.parameters ?? [];
  const { method, path, enabled, title, submit, success } = describeSaving(addon);
  const saving = useChange({
    run: async () => {
      const body = { ...toBody(draft, parameters), enabled };
      const saved = await request<{ readonly secret?: string }>(path, { method, body });
      if (saved.secret === undefined) onClose();
      else setSecret(saved.secret);
    },
    invalidates: [["addons"]],
    success: () => success,
    showsErrors: true,
  });
  if (secret !== undefined) return <WebhookSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={title}
      submit={submit}
      size="wide"
      draft={draft}
      onClose={onClose}
      isPending={saving.isPending}
      error={saving.error}
      subjects={SUBJECTS}
      onSubmit={() => saving.mutate()}
    >
      {addon === undefined ? (
        <Select
          label="Send to"
          choices={providers.map(({ name, displayName, description }) => ({
            id: name,
            label: displayName,
            description,
          }))}
          value={draft.provider}
          onChange={(id) => change({ provider: id })}
          description={provider?.description}
        />
      ) : null}
      <TextField
        label="Name"
        name="description"
        value={draft.description}
        onChange={(description) => change({ description })}
        autoComplete="off"
        maxLength={200}
        description="How the list calls it, for example the channel."
      />
      <ParameterFields
        key={draft.provider}
        parameters={parameters}
        values={draft.parameters}
        stored={addon?.parameters}
        onChange={(values) => change({ parameters: values })}
      />
      <EventChoice value={draft.events} onChange={(events) => change({ events })} />
      <Places
        label="Projects"
        choices={projects?.map(({ id, name }) => ({ id, label: name }))}
        value={draft.projects}
        onChange={(ids) => change({ projects: ids })}
      />
      <Places
        label="Environments"
        choices={environments?.map(({ name }) => ({ id: name, label: name }))}
        value={draft.environments}
        onChange={(names) => change({ environments: names })}
      />
    </FormDialog>
  );
}

interface ParameterFieldsProps {
  readonly parameters: AddonProvider["parameters"];
  readonly values: Readonly<Record<string, string>>;
  /** What is stored, without secret values; undefined for a new notification. */
  readonly stored: Readonly<Record<string, string>> | undefined;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

/** The fields that the provider requires. */
function ParameterFields({ parameters, values, stored, onChange }: ParameterFieldsProps) {
  return parameters.map(({ name, displayName, type, required, placeholder, description }) => (
    <TextField
      key={name}
      label={displayName}
      name={`parameters/${name}`}
      value={values[name] ?? ""}
      onChange={(value) => onChange({ ...values, [name]: value })}
      isRequired={required}
      autoComplete="off"
      {...(type === "textfield" && { rows: 4, isCode: true })}
      {...(placeholder !== undefined && { placeholder })}
      description={
        stored?.[name] === MASKED ? `${description} ${MASKED} keeps the stored value.` : description
      }
    />
  ));
}

/** How the service shows a secret value. */
const MASKED = "*****";

const SUBJECTS: FieldSubjects = {
  description: "The name",
  "parameters/url": "The address",
  "parameters/contentType": "The content type",
  "parameters/authorization": "The header",
  "parameters/customHeaders": "The text",
  "parameters/bodyTemplate": "The template",
  "parameters/apiKey": "The API key",
};

interface WebhookSecretProps {
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows the secret of a webhook, which the service does not show again. */
export function WebhookSecret({ secret, onClose }: WebhookSecretProps) {
  return (
    <SecretDialog
      title="The secret of the signatures"
      what="secret"
      secret={secret}
      onClose={onClose}
    >
      <p>
        With it, the receiver checks that messages come from this service, as described by Standard
        Webhooks.
      </p>
    </SecretDialog>
  );
}

interface PlacesProps {
  readonly label: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[] | undefined;
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** A choice of all projects or environments, or of some. */
function Places({ label, choices = [], value, onChange }: PlacesProps) {
  const [isForAll, setForAll] = useState(isAll(value));
  const kind = label.toLowerCase();
  return (
    <>
      <Select
        label={label}
        choices={[
          { id: "all", label: `All ${kind}, including future ones` },
          { id: "some", label: `Only some ${kind}` },
        ]}
        value={isForAll ? "all" : "some"}
        onChange={(id) => {
          setForAll(id === "all");
          onChange([]);
        }}
      />
      {isForAll ? null : (
        <CheckboxList
          label={`Which ${kind}`}
          choices={choices}
          value={value}
          onChange={onChange}
          {...(value.length === 0 && { problem: "Without a choice, all are meant." })}
        />
      )}
    </>
  );
}
