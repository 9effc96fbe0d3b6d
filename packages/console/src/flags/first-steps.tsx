import { Link } from "@tanstack/react-router";
import { Circle, CircleCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { FlagSummary } from "../api/types.ts";
import { hasHiddenFirstSteps, rememberHiddenFirstSteps } from "../app/remembered-choices.ts";
import { Button } from "../ui/button.tsx";
import { lastSeenAt } from "./filter-flags.ts";
import "./first-steps.css";

/** With more flags, nobody needs to be told. */
const MAX_FLAGS = 3;

interface FirstStepsProps {
  readonly project: string;
  readonly flags: readonly FlagSummary[];
  /** Opens the form for a new flag. */
  readonly onCreate: () => void;
}

/** What to do in a new project, until an application has asked for one of its flags. */
export function FirstSteps({ project, flags, onCreate }: FirstStepsProps) {
  const [isHidden, setHidden] = useState(hasHiddenFirstSteps);
  const [first] = flags;
  const isUsed = flags.some((flag) => lastSeenAt(flag) !== undefined);
  if (first !== undefined && (isHidden || isUsed || flags.length > MAX_FLAGS)) return null;
  const isOn = flags.some(({ environments }) => environments.some(({ enabled }) => enabled));
  const page =
    first === undefined ? undefined : (
      <Link to="/projects/$project/flags/$flag" params={{ project, flag: first.name }}>
        Open {first.name}
      </Link>
    );
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">
        {first === undefined ? "This project has no flags yet" : "First steps"}
      </h2>
      <ol>
        <Step title="Create a flag" isDone={first !== undefined}>
          <p>It turns a part of your application on or off without a new release.</p>
          {first === undefined ? (
            <Button variant="primary" onPress={onCreate}>
              Create the first flag
            </Button>
          ) : null}
        </Step>
        <Step title="Turn it on where you develop" isDone={isOn}>
          <p>Use its switch in an environment such as development. Production can wait.</p>
        </Step>
        <Step title="Ask for it in your application" isDone={false}>
          <p>“Use in code” on the page of a flag writes the code for your language. {page}</p>
        </Step>
      </ol>
      {first === undefined ? null : (
        <Button
          onPress={() => {
            rememberHiddenFirstSteps();
            setHidden(true);
          }}
        >
          Hide
        </Button>
      )}
    </section>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

function Step({ title, isDone, children }: StepProps) {
  const Mark = isDone ? CircleCheck : Circle;
  return (
    <li {...(isDone && { "data-done": true })}>
      <Mark aria-hidden />
      <div>
        <strong>
          {title} {isDone ? <span className="visually-hidden">(done)</span> : null}
        </strong>
        {isDone ? null : children}
      </div>
    </li>
  );
}
