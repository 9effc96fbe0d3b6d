import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { CheckboxList } from "../ui/checkbox-list.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { type Expiry, toExpiry } from "./expiry.ts";
import { ExpiryFields } from "./expiry-fields.tsx";
import { TokenSecret } from "./token-secret.tsx";
import { TOKEN_TYPES, type TokenType } from "./token-types.ts";

interface CreateTokenDialogProps {
  /** The only project that the token is for; undefined to choose. */
  readonly project?: string;
  readonly onClose: () => void;
}

/** Creates a token and shows its secret once. */
export function CreateTokenDialog({ project, onClose }: CreateTokenDialogProps) {
  const types = (["backend", "frontend", "viewer", "editor", "admin"] as const).filter(
    (id) => project === undefined || TOKEN_TYPES[id].isForSdks,
  );
  const [tokenName, setTokenName] = useState("");
  const [type, setType] = useState<TokenType>("backend");
  const [environment, setEnvironment] = useState("");
  const [isForAll, setForAll] = useState(true);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isSubmitted, setSubmitted] = useState(false);
  const [expiry, setExpiry] = useState<Expiry>({ choice: "never", localTime: "" });
  // NOTE: only here, in no cache and in no storage, so that it is gone when the dialog closes.
  const [secret, setSecret] = useState<string>();

  const { isForSdks } = TOKEN_TYPES[type];
  const projects = project === undefined ? (isForAll ? ["*"] : chosen) : [project];
  const creation = useChange({
    run: async () => {
      const created = await request<{ readonly secret: string }>(
        project === undefined ? adminPath`/api-tokens` : adminPath`/projects/${project}/api-tokens`,
        {
          method: "POST",
          body: {
            tokenName: tokenName.trim(),
            type,
            expiresAt: toExpiry(expiry, new Date()),
            ...(isForSdks && { environment, projects }),
          },
        },
      );
      setSecret(created.secret);
    },
    invalidates: [["tokens"], ["environments"]],
    showsErrors: true,
  });
  if (secret !== undefined) {
    return <TokenSecret name={tokenName.trim()} type={type} secret={secret} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="New API token"
      submit="Create token"
      draft={[tokenName, type, environment, isForAll, chosen, expiry]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => {
        setSubmitted(true);
        if (!isForSdks || projects.length > 0) creation.mutate();
      }}
    >
      <TextField
        label="Name"
        name="name"
        value={tokenName}
        onChange={setTokenName}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={255}
        description="What will use it, for example the name of the application."
      />
      <Select
        label="Type"
        choices={types.map((id) => ({
          id,
          label: TOKEN_TYPES[id].name,
          description: TOKEN_TYPES[id].description,
        }))}
        value={type}
        onChange={setType}
        description={`${TOKEN_TYPES[type].description}.`}
      />
      {isForSdks ? (
        <>
          <EnvironmentSelect value={environment} onChange={setEnvironment} />
          {project === undefined ? (
            <>
              <Select
                label="Projects"
                choices={[
                  { id: "all", label: "All projects, including future ones" },
                  { id: "some", label: "Only some projects" },
                ]}
                value={isForAll ? "all" : "some"}
                onChange={(id) => setForAll(id === "all")}
              />
              {isForAll ? null : (
                <ProjectList
                  value={chosen}
                  onChange={setChosen}
                  {...(isSubmitted && chosen.length === 0 && { problem: "Choose a project." })}
                />
              )}
            </>
          ) : null}
        </>
      ) : null}
      <ExpiryFields value={expiry} onChange={setExpiry} />
    </FormDialog>
  );
}

interface EnvironmentSelectProps {
  readonly value: string;
  readonly onChange: (environment: string) => void;
}

function EnvironmentSelect({ value, onChange }: EnvironmentSelectProps) {
  const { data = [] } = useQuery(queries.environments());
  return (
    <Select
      label="Environment"
      choices={data.map(({ name }) => ({ id: name, label: name }))}
      value={value === "" ? null : value}
      onChange={onChange}
      isRequired
      placeholder="Select an environment"
      description="The token gives access to the flags of this environment only."
    />
  );
}

interface ProjectListProps {
  readonly value: readonly string[];
  readonly onChange: (projects: readonly string[]) => void;
  readonly problem?: string;
}

function ProjectList(props: ProjectListProps) {
  const { data = [] } = useQuery(queries.projects());
  return (
    <CheckboxList
      {...props}
      label="Which projects"
      choices={data.map(({ id, name }) => ({ id, label: name }))}
    />
  );
}
