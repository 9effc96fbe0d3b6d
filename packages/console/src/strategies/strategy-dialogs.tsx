import { useQuery } from "@tanstack/react-query";
import { type Dispatch, type ReactNode, type SetStateAction, useState } from "react";
import { queries } from "../api/queries.ts";
import { rolloutPlansQuery } from "../api/rollout-plan-queries.ts";
import type { Segment, Strategy } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { ConstraintEditor } from "../constraints/constraint-editor.tsx";
import { useConsequence } from "../flags/use-consequence.ts";
import { takesList } from "../constraints/operators.ts";
import { Banner } from "../ui/banner.tsx";
import { withFullStop } from "../ui/describe-error.ts";
import { Checkbox, TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { VariantEditor } from "../variants/variant-editor.tsx";
import { describeStrategy, type Names } from "./describe-strategy.ts";
import { describeImpossible } from "./find-ineffective.ts";
import { RuleNote } from "./rule-note.tsx";
import { SegmentPicker } from "./segment-picker.tsx";
import { StickinessField } from "./stickiness-field.tsx";
import {
  createDraft,
  fromDefaultStrategy,
  type StrategyDraft,
  toBody,
  toDraft,
  withType,
} from "./strategy-draft.ts";
import { StrategyParameters } from "./strategy-parameters.tsx";
import { StrategyWarnings } from "./strategy-warnings.tsx";
import { describeStrategyType } from "./strategy-labels.ts";
import {
  type StrategyAddress,
  strategyPath,
  type StrategyTarget,
  useSaveStrategy,
} from "./use-save-strategy.ts";
import "./strategies.css";

interface AddStrategyDialogProps extends StrategyAddress {
  readonly onClose: () => void;
}

/** Adds a strategy at the end, which starts as the default strategy of the project. */
export function AddStrategyDialog({ onClose, ...address }: AddStrategyDialogProps) {
  const { project, flag, environment } = address;
  const { data: projects } = useQuery(queries.projects());
  const { data: environments } = useQuery(queries.projectEnvironments(project));
  if (projects === undefined || environments === undefined) return null;
  const stickiness = projects.find(({ id }) => id === project)?.defaultStickiness ?? "default";
  const inProject = environments.find(({ name }) => name === environment)?.defaultStrategy;
  const initial =
    inProject === undefined
      ? createDraft({ flag, stickiness })
      : fromDefaultStrategy(toDraft(inProject), flag);
  return <StrategyForm address={address} initial={initial} id={undefined} onClose={onClose} />;
}

interface EditStrategyDialogProps extends AddStrategyDialogProps {
  readonly id: string;
}

/** Edits the strategy as the service has it now. */
export function EditStrategyDialog({ id, onClose, ...address }: EditStrategyDialogProps) {
  return (
    <EditedResource<Strategy>
      path={strategyPath(address, id)}
      title={`Strategy in ${address.environment}`}
      size="wide"
      onClose={onClose}
    >
      {(version) => (
        <StrategyForm
          address={address}
          initial={toDraft(version.value)}
          id={id}
          version={version}
          onClose={onClose}
        />
      )}
    </EditedResource>
  );
}

interface StrategyFormProps extends StrategyTarget {
  readonly address: StrategyAddress;
  readonly initial: StrategyDraft;
  readonly version?: EditedVersion<Strategy>;
  readonly onClose: () => void;
}

/** A dialog that edits all of a strategy, with a sentence that says what it does. */
export function StrategyForm({ address, initial, onClose, ...target }: StrategyFormProps) {
  const { project, flag, environment } = address;
  const { id, version } = target;
  const [draft, setDraft] = useState(initial);
  const { data: types = [] } = useQuery(queries.strategyTypes());
  const { data: segments = [] } = useQuery(queries.segments());
  const change = (changes: Partial<StrategyDraft>): void =>
    setDraft((latest) => ({ ...latest, ...changes }));
  const body = toBody(draft, types);
  const saving = useSaveStrategy(address, target, body);
  const consequence = useConsequence(
    address,
    id === undefined ? { kind: "add", strategy: body } : { kind: "replace", id, strategy: body },
  );
  return (
    <SaveDialog
      title={`${id === undefined ? "New strategy" : "Strategy"} in ${environment}`}
      size="wide"
      submit={id === undefined ? "Add strategy" : "Save"}
      version={version}
      draft={draft}
      saving={saving}
      consequence={consequence}
      onClose={onClose}
    >
      <StrategyPreview address={address} draft={draft} names={{ segments, types }} />
      {id === undefined ? null : <PlanNote address={address} id={id} />}
      <StrategyFields project={project} flag={flag} draft={draft} setDraft={setDraft}>
        <Checkbox
          label="Disabled: applications do not receive this strategy"
          isSelected={draft.disabled}
          onChange={(disabled) => change({ disabled })}
        />
      </StrategyFields>
    </SaveDialog>
  );
}

interface StrategyFieldsProps {
  readonly project: string;
  /** Name of the flag, which becomes the group id of a rollout; empty for a strategy of no flag. */
  readonly flag: string;
  readonly draft: StrategyDraft;
  readonly setDraft: Dispatch<SetStateAction<StrategyDraft>>;
  /** What follows the parameters. */
  readonly children?: ReactNode;
}

/** The fields of a form about a strategy. */
export function StrategyFields({ project, flag, draft, setDraft, children }: StrategyFieldsProps) {
  const { data: types = [] } = useQuery(queries.strategyTypes());
  const { name, parameters, constraints, variants } = draft;
  const change = (changes: Partial<StrategyDraft>): void =>
    setDraft((latest) => ({ ...latest, ...changes }));
  const choices = types
    .filter((type) => !type.deprecated || type.name === name)
    .map((type) => {
      const { name: label, description } = describeStrategyType(type.name, types);
      return { id: type.name, label, description };
    });
  return (
    <>
      <div className="strategy-fields">
        <Select
          label="Type"
          choices={choices}
          value={name}
          onChange={(type) =>
            setDraft((latest) =>
              withType(latest, type, { flag, stickiness: parameters["stickiness"] ?? "default" }),
            )
          }
          description={describeStrategyType(name, types).description}
        />
        <TextField
          label="Title"
          value={draft.title ?? ""}
          onChange={(title) => change({ title: title === "" ? null : title })}
          maxLength={500}
          description="Optional. Says why the strategy exists, for example “Pilot customers”."
        />
      </div>
      <StrategyParameters
        name={name}
        types={types}
        value={parameters}
        onChange={(changed) => change({ parameters: changed })}
      />
      <StrategyWarnings strategy={toBody(draft, types)} />
      {children}
      <Section
        title="Segments"
        description="The strategy applies only to users who are in all of these segments."
      >
        <SegmentPicker
          project={project}
          value={draft.segments}
          onChange={(changed) => change({ segments: changed })}
        />
      </Section>
      <Section
        title="Constraints"
        description="The strategy applies only where all of these conditions are met."
      >
        <ConstraintEditor
          value={constraints}
          onChange={(changed) => change({ constraints: changed })}
        />
      </Section>
      <Section
        title="Variants"
        description="Users who have the flag get one of these variants. Applications can read its payload."
      >
        <VariantEditor
          value={variants}
          onChange={(changed) => change({ variants: changed })}
          stickiness={variants[0]?.stickiness ?? parameters["stickiness"] ?? "default"}
        />
        {variants.length === 0 ? null : (
          <StickinessField
            label="Stickiness of the variants"
            value={variants[0]?.stickiness ?? "default"}
            onChange={(stickiness) =>
              change({ variants: variants.map((variant) => ({ ...variant, stickiness })) })
            }
            description="Contexts with the same value get the same variant."
          />
        )}
      </Section>
    </>
  );
}

interface StrategyPreviewProps {
  readonly address: StrategyAddress;
  readonly draft: StrategyDraft;
  readonly names: Names & { readonly segments: readonly Segment[] };
}

/** What the strategy will do, and why it will have no effect. */
function StrategyPreview({ address, draft, names }: StrategyPreviewProps) {
  const { project, flag, environment } = address;
  const { data: shown } = useQuery(queries.flag(project, flag));
  const isOff = shown?.environments.some(({ name, enabled }) => name === environment && !enabled);
  // What somebody is still typing is no problem yet.
  const constraints = draft.constraints.filter(
    ({ operator, values }) => !takesList(operator) || values.length > 0,
  );
  const impossible = describeImpossible({ ...draft, constraints }, names.segments, Date.now());
  const disabled = draft.disabled ? " – but this strategy is disabled" : "";
  return (
    <>
      <p className="strategy-preview" role="status">
        {withFullStop(`On for ${describeStrategy(draft, names)}${disabled}`)}
        {isOff === true
          ? ` The flag is off in ${environment}: nothing changes until it is turned on.`
          : ""}
      </p>
      {impossible === undefined ? null : <Banner kind="warning">{impossible}</Banner>}
    </>
  );
}

interface PlanNoteProps {
  readonly address: StrategyAddress;
  readonly id: string;
}

/** Warns that an edit by hand stops the rollout plan of the strategy. */
function PlanNote({ address: { project, flag }, id }: PlanNoteProps) {
  const { data: plans = [] } = useQuery(rolloutPlansQuery(project, flag));
  const plan = plans.find(({ strategyId }) => strategyId === id);
  if (plan === undefined || plan.state === "stopped" || plan.state === "completed") return null;
  return <RuleNote>Saving a change stops the rollout plan of this strategy.</RuleNote>;
}

interface SectionProps {
  readonly title: string;
  readonly description: string;
  readonly children: ReactNode;
}

function Section({ title, description, children }: SectionProps) {
  return (
    <section className="strategy-section" aria-label={title}>
      <h3>{title}</h3>
      <p className="muted">{description}</p>
      {children}
    </section>
  );
}
