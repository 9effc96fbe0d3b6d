import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import { proposeForFlag, useDialogWords } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { describeDependencyChange } from "../flags/consequence.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { ComboBox } from "../ui/combo-box.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import { joinWithOr } from "../ui/words.ts";
import { useCanEdit } from "./use-can-edit.ts";

/** The flag that a flag depends on, and the flags that depend on it: one line, unless it is unfolded. */
export function Dependencies({ flag }: { readonly flag: Flag }) {
  const canEdit = useCanEdit(flag);
  const [isEditing, setEditing] = useState(false);
  const { dependencies, children } = flag;
  const [parent] = dependencies;
  const isEmpty = parent === undefined && children.length === 0;
  if (isEmpty && !canEdit) return null;
  const edit = (): void => setEditing(true);
  return (
    <section className="flag-dependencies" aria-label="Dependencies">
      {isEmpty ? (
        <div className="row muted">
          Depends on no other flag
          <Button size="small" variant="quiet" onPress={edit}>
            <Plus aria-hidden /> Add dependency
          </Button>
        </div>
      ) : (
        <details>
          <summary>{summarize(parent, children.length)}</summary>
          <DependencyDetails flag={flag} edit={canEdit ? edit : undefined} />
        </details>
      )}
      {isEditing ? <DependencyDialog flag={flag} onClose={() => setEditing(false)} /> : null}
    </section>
  );
}

/** For example "Off unless base is on · 2 flags depend on this one". */
function summarize(parent: Dependency | undefined, childCount: number): string {
  const parts: string[] = [];
  if (parent !== undefined) parts.push(`Off unless ${parent.feature} ${describeCondition(parent)}`);
  if (childCount > 0) {
    parts.push(`${describeCount(childCount, "flag depends", "flags depend")} on this one`);
  }
  return parts.join(" · ");
}

interface DependencyDetailsProps {
  readonly flag: Flag;
  /** Opens the dialog; undefined if the user may not change the flag. */
  readonly edit: (() => void) | undefined;
}

function DependencyDetails({ flag, edit }: DependencyDetailsProps) {
  const { project, dependencies, children } = flag;
  const [parent] = dependencies;
  const describeDependency = useDependencySentence(flag);
  const removal = useChange({
    run: () => setParent(flag, undefined),
    proposes: () => proposeForFlag(flag, { action: "deleteDependency" }),
    asks: () => ({
      title: `Remove the dependency of ${flag.name}?`,
      consequence:
        describeDependency(undefined) ??
        `${flag.name} no longer depends on ${parent?.feature ?? "another flag"}.`,
      submit: "Remove",
    }),
    invalidates: [["flag", project]],
    success: () => "Removed the dependency",
    undo: () => setParent(flag, parent),
  });
  return (
    <div className="flag-dependency-details">
      {parent === undefined ? null : (
        <div className="row">
          <span>
            Depends on <FlagLink project={project} flag={parent.feature} />
          </span>
          {edit === undefined ? null : (
            <>
              <Button size="small" onPress={edit}>
                Change
              </Button>
              <Button size="small" variant="quiet" onPress={() => removal.mutate()}>
                Remove
              </Button>
            </>
          )}
        </div>
      )}
      {children.length === 0 ? null : (
        <p className="flag-note">
          These flags depend on this one:{" "}
          {children.map((child, index) => (
            <span key={child}>
              {index === 0 ? null : ", "}
              <FlagLink project={project} flag={child} />
            </span>
          ))}
          .{edit === undefined ? "" : " So it cannot depend on another flag itself."}
        </p>
      )}
    </div>
  );
}

interface FlagLinkProps {
  readonly project: string;
  readonly flag: string;
}

function FlagLink({ project, flag }: FlagLinkProps) {
  return (
    <Link to="/projects/$project/flags/$flag" params={{ project, flag }}>
      {flag}
    </Link>
  );
}

function describeCondition({ enabled, variants }: Dependency): string {
  if (!enabled) return "is off";
  if (variants.length === 0) return "is on";
  return `is on with the variant ${joinWithOr(variants)}`;
}

type Dependency = Flag["dependencies"][number];

/** Makes a flag depend on another one, or on none, instead of its previous parent. */
function setParent({ project, name }: Flag, dependency: Dependency | undefined): Promise<unknown> {
  return request(adminPath`/projects/${project}/features/${name}/dependencies`, {
    method: dependency === undefined ? "DELETE" : "POST",
    body: dependency,
  });
}

interface DependencyDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

/** Says what a dependency does to whom where people have to confirm it; undefined if the flag is off there. */
function useDependencySentence({
  environments,
}: Flag): (dependency: Dependency | undefined) => string | undefined {
  const asksBeforeChange = useAsksBeforeChange();
  const on = environments.filter((one) => one.enabled && asksBeforeChange(one));
  return (dependency) =>
    on.length === 0
      ? undefined
      : describeDependencyChange({
          environments: on.map(({ name }) => name),
          condition:
            dependency === undefined
              ? undefined
              : `${dependency.feature} ${describeCondition(dependency)}`,
        });
}

type Condition = "on" | "off" | "variants";

function DependencyDialog({ flag, onClose }: DependencyDialogProps) {
  const { project, name } = flag;
  const [before] = flag.dependencies;
  const describeDependency = useDependencySentence(flag);
  const [parent, setParentName] = useState(before?.feature ?? "");
  const [condition, setCondition] = useState<Condition>(conditionOf(before));
  const [variants, setVariants] = useState(before?.variants ?? []);
  const parents = useQuery(queries.possibleParents(project, name));
  const names = parents.data ?? [];
  const isKnown = names.includes(parent);
  const dependency = {
    feature: parent,
    enabled: condition !== "off",
    variants: condition === "variants" ? variants : [],
  };
  const proposal = proposeForFlag(flag, { action: "addDependency", payload: dependency });
  const words = useDialogWords(proposal, {
    submit: "Save",
    consequence: isKnown ? describeDependency(dependency) : undefined,
  });
  const change = useChange({
    run: () => setParent(flag, dependency),
    proposes: () => proposal,
    invalidates: [["flag", project]],
    success: () => `${name} now depends on ${parent}`,
    undo: () => setParent(flag, before),
    showsErrors: true,
  });
  return (
    <FormDialog
      {...words}
      title="Depend on another flag"
      draft={[parent, condition, variants]}
      onClose={onClose}
      onSubmit={() => change.mutate(undefined, { onSuccess: onClose })}
      isPending={change.isPending}
      isDisabled={condition === "variants" && variants.length === 0}
      error={change.error}
    >
      <Loaded query={parents}>
        {(available) => (
          <ComboBox
            label="Flag"
            choices={available.map((id) => ({ id, label: id }))}
            value={parent}
            onChange={(text) => {
              setParentName(text);
              setVariants([]);
            }}
            isRequired
            description="Flags of this project that do not depend on another flag."
            validate={(text) =>
              available.includes(text) ? undefined : "Choose a flag from the list."
            }
          />
        )}
      </Loaded>
      <Select
        label="Condition"
        choices={[
          { id: "on", label: "The other flag is on" },
          { id: "variants", label: "The other flag is on with certain variants" },
          { id: "off", label: "The other flag is off" },
        ]}
        value={condition}
        onChange={setCondition}
      />
      {condition === "variants" && isKnown ? (
        <VariantChoice project={project} flag={parent} value={variants} onChange={setVariants} />
      ) : null}
    </FormDialog>
  );
}

function conditionOf(dependency: Dependency | undefined): Condition {
  if (dependency === undefined) return "on";
  if (!dependency.enabled) return "off";
  return dependency.variants.length > 0 ? "variants" : "on";
}

interface VariantChoiceProps {
  readonly project: string;
  readonly flag: string;
  readonly value: readonly string[];
  readonly onChange: (variants: readonly string[]) => void;
}

function VariantChoice({ project, flag, value, onChange }: VariantChoiceProps) {
  const variants = useQuery(queries.variantNames(project, flag));
  return (
    <Loaded query={variants}>
      {(known) => {
        const names = [...new Set([...known, ...value])];
        return names.length === 0 ? (
          <p className="muted flag-note">{flag} has no variants.</p>
        ) : (
          <div className="stack" role="group" aria-label="Variants">
            {names.map((name) => (
              <Checkbox
                key={name}
                label={name}
                isSelected={value.includes(name)}
                onChange={(isSelected) =>
                  onChange(isSelected ? [...value, name] : value.filter((other) => other !== name))
                }
              />
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}
