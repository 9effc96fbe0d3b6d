import { Check, Minus, Shuffle, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Evaluation, EvaluationDetails } from "../api/types.ts";
import { describeStrategyType } from "../strategies/strategy-labels.ts";
import { Badge } from "../ui/badge.tsx";
import { formatShare } from "../ui/numbers.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { explainOutcome, outcomeOf } from "./outcome.ts";
import "./explanation.css";

type StrategyDetails = EvaluationDetails["strategies"][number];
type ConstraintDetails = StrategyDetails["constraints"][number];

/** Why a flag has its result: one sentence, and the steps that lead to it. */
export function Explanation({ evaluation }: { readonly evaluation: Evaluation }) {
  const { details } = evaluation;
  return (
    <div className="explanation">
      <p className="explanation-sentence">
        <OutcomeBadge outcome={outcomeOf(evaluation)} /> <span>{explainOutcome(evaluation)}</span>
      </p>
      {details.mayChange ? (
        <p className="muted">
          The next evaluation can differ, because the result depends on the time or on a random
          number.
        </p>
      ) : null}
      <ol className="steps">
        <Step matched={evaluation.isEnabledInCurrentEnvironment}>
          The flag is turned {evaluation.isEnabledInCurrentEnvironment ? "on" : "off"} in this
          environment
        </Step>
        {details.dependencies.map((dependency) => (
          <Step
            key={dependency.explanation}
            matched={dependency.matched}
            text={capitalize(dependency.explanation)}
          >
            {dependency.result === undefined ? null : (
              <p className="muted step-note">{dependency.result.explanation}</p>
            )}
          </Step>
        ))}
        <Strategies evaluation={evaluation} />
        {details.variantSelection === undefined ? null : (
          <li className="step">
            <VariantWeights selection={details.variantSelection} />
          </li>
        )}
      </ol>
    </div>
  );
}

/** All strategies in their order, with the disabled ones. */
function Strategies({ evaluation }: { readonly evaluation: Evaluation }) {
  const { details, strategies } = evaluation;
  const decidedBy = details.strategies[details.decidedBy ?? -1]?.id;
  const decidingPosition = strategies.data.findIndex(({ id }) => id === decidedBy);
  if (strategies.data.length === 0) {
    return evaluation.isEnabled ? <Step matched>It has no strategies, so it is on</Step> : null;
  }
  return strategies.data.map((strategy, index) => {
    const explained = details.strategies.find(({ id }) => id === strategy.id);
    const title = (
      <>
        Strategy {index + 1}: {strategy.title ?? describeStrategyType(strategy.name, []).name}
      </>
    );
    if (explained === undefined) {
      return (
        <Step key={strategy.id} matched={undefined} text={title}>
          <p className="muted step-note">It is disabled, so it is skipped.</p>
        </Step>
      );
    }
    const isUnknown = strategy.result.enabled === "unknown";
    return (
      <Step
        key={strategy.id}
        matched={isUnknown ? undefined : explained.matched}
        isDeciding={strategy.id === decidedBy}
        text={title}
      >
        {decidingPosition !== -1 && index > decidingPosition ? (
          <p className="muted step-note">
            It makes no difference, because strategy {decidingPosition + 1} already matches.
          </p>
        ) : null}
        <StrategyConditions strategy={explained} isUnknown={isUnknown} />
      </Step>
    );
  });
}

interface StrategyConditionsProps {
  readonly strategy: StrategyDetails;
  readonly isUnknown: boolean;
}

function StrategyConditions({ strategy, isUnknown }: StrategyConditionsProps) {
  const { constraints, segments, activation } = strategy;
  return (
    <ul className="steps">
      <Constraints constraints={constraints} />
      {segments.map((segment) => (
        <Step
          key={segment.id}
          matched={segment.matched}
          text={`Segment ${segment.name ?? segment.id}`}
        >
          {segment.problem === undefined ? null : <p className="step-note">{segment.problem}</p>}
          <ul className="steps">
            <Constraints constraints={segment.constraints} />
          </ul>
        </Step>
      ))}
      {isUnknown ? (
        <Step matched={undefined}>Only applications have this custom strategy</Step>
      ) : (
        <Step matched={activation.matched} text={capitalize(activation.explanation)}>
          <RolloutDetails rollout={activation.rollout} />
        </Step>
      )}
    </ul>
  );
}

function Constraints({ constraints }: { readonly constraints: readonly ConstraintDetails[] }) {
  return constraints.map((constraint, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- constraints have no id, and never move here
    <Step key={index} matched={constraint.matched}>
      {capitalize(constraint.explanation)}
    </Step>
  ));
}

interface RolloutDetailsProps {
  readonly rollout: StrategyDetails["activation"]["rollout"];
}

/** Shows where the bucket is in the rollout. Its numbers are in the sentence above. */
function RolloutDetails({ rollout }: RolloutDetailsProps) {
  if (rollout?.bucket === undefined || rollout.percentage === 100) return null;
  const { bucket, percentage, groupId, stickiness } = rollout;
  return (
    <>
      <svg className="rollout-bar" aria-hidden viewBox="0 0 100 6" preserveAspectRatio="none">
        <rect className="rollout-rest" width="100" height="6" />
        <rect className="rollout-part" width={percentage} height="6" />
        <rect className="rollout-bucket" x={bucket - 1} width="1.2" height="6" />
      </svg>
      <p className="muted step-note">
        Stickiness {stickiness}
        {groupId === undefined ? "" : `, group ${groupId}`}
      </p>
    </>
  );
}

interface StepProps {
  /** Undefined if it is not known. */
  readonly matched: boolean | undefined;
  readonly isDeciding?: boolean;
  /** @default the children are the text */
  readonly text?: ReactNode;
  readonly children?: ReactNode;
}

function Step({ matched, isDeciding = false, text, children }: StepProps) {
  return (
    <li className={isDeciding ? "step step-deciding" : "step"}>
      <span className="step-text">
        <Mark matched={matched} />
        <span>{text ?? children}</span>
        {isDeciding ? <Badge kind="accent">decides</Badge> : null}
      </span>
      {text === undefined ? null : children}
    </li>
  );
}

/** A sign for whether a condition is met, with words for screen readers. */
function Mark({ matched }: { readonly matched: boolean | undefined }) {
  const Icon = matched === undefined ? Minus : matched ? Check : X;
  const label = matched === undefined ? "Not evaluated: " : matched ? "Matched: " : "Not matched: ";
  return (
    <>
      <span className={`step-mark step-mark-${matched ?? "unknown"}`} aria-hidden>
        <Icon />
      </span>
      <span className="visually-hidden">{label}</span>
    </>
  );
}

/** The engine describes conditions as parts of a sentence. Names of fields keep their spelling. */
function capitalize(text: string): string {
  return /^(?:it|the|a|segment)\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

type Selection = NonNullable<EvaluationDetails["variantSelection"]>;

/** The variants with their shares, and why one of them was selected. */
function VariantWeights({ selection }: { readonly selection: Selection }) {
  const { variants, totalWeight } = selection;
  return (
    <div className="weights">
      <span className="step-text">
        <span className="step-mark step-mark-true" aria-hidden>
          <Shuffle />
        </span>
        <span>{describeSelection(selection)}</span>
      </span>
      <ul className="weights-list">
        {variants.map(({ name, weight, selected }) => (
          <li key={name}>
            <Badge kind={selected ? "accent" : "neutral"}>
              {name}
              {weight === null || totalWeight === null || totalWeight === 0
                ? ""
                : ` ${formatShare(weight, totalWeight)}`}
              {selected ? " (selected)" : ""}
            </Badge>
          </li>
        ))}
      </ul>
    </div>
  );
}

function describeSelection(selection: Selection): string {
  const { variants, override, bucket, totalWeight, field, value, definedBy } = selection;
  const name = variants.find(({ selected }) => selected)?.name ?? "none";
  const start = `The variant is ${name}`;
  const source = definedBy === "flag" ? " of the flag" : "";
  if (override !== undefined) {
    return `${start}${source}: it is assigned to ${override.contextName} "${override.value}"`;
  }
  if (bucket === undefined) return `${start}${source}: no other has a weight`;
  const id = field === undefined ? "a random id" : `${field} "${value ?? ""}"`;
  return `${start}${source}: ${id} is in bucket ${bucket} of ${totalWeight ?? "?"}`;
}
