import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Refused } from '../../api/call.ts';
import { problemIn } from '../../api/problem.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Counted, Member, Members } from '../../parts/owned.tsx';
import { focusTitle, NeedsClient, Page } from '../../parts/page.tsx';
import { Badge, Button, Code, CopyButton, Failure, Field, Notice, Show, Status } from '../../parts/parts.tsx';
import { useResource } from '../../state/owned.ts';
import { callback, redirected } from '../../state/redirect-back.ts';
import {
  authorizationUrl,
  beginFlow,
  type Came,
  changeFlow,
  codeOf,
  type Flow,
  flow as flowOfTab,
  parametersOf,
  readRedirect,
} from './flow.ts';
import { type Step, steps, take } from './flow-steps.ts';
import { RegisterConsole, redirectUrisPath } from './redirect-uris.tsx';

/** One flow, as the sequence of its calls. */
export function FlowPage() {
  const { person } = flowOfTab.value ?? {};
  return (
    <Page
      title={person ? `Sign in as ${person.name}` : 'Sign in'}
      about="This page is the app. It goes through the flow one call at a time, and says what each of them proves."
      actions={<a href="#/people">All people</a>}
    >
      <NeedsClient>
        <Sequence />
        <Counted />
      </NeedsClient>
    </Page>
  );
}

function Sequence() {
  const flow = flowOfTab.value;
  const came = redirected.value === undefined ? undefined : readRedirect(redirected.value, flow);
  if (!flow && !came) {
    return (
      <Notice>
        You have begun no flow in this tab. <a href="#/people">Choose who signs in</a>.
      </Notice>
    );
  }
  const code = came && codeOf(came);
  const next = flow && steps.find(({ name, request }) => !flow.calls[name] && request(flow, code));
  return (
    <ol class="plain timeline flow">
      {flow && <AuthorizationRequest key={flow.state} flow={flow} />}
      <RedirectBack flow={flow} came={came} />
      {flow &&
        steps.map((step) => <AppCall key={step.name} step={step} flow={flow} code={code} isNext={step === next} />)}
    </ol>
  );
}

interface RowProps {
  readonly title: string;
  readonly way: string;
  /** `passed`: it is done. `failed`: the flow ends here. `next`: it can be done now. */
  readonly standing: 'passed' | 'failed' | 'next' | 'later';
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Row({ title, way, standing, beside, children }: RowProps) {
  return (
    <li class={standing} aria-label={title}>
      <div class="row">
        <h2 class="first">{title}</h2>
        <span class="muted small">{way}</span>
        {beside}
      </div>
      {children}
    </li>
  );
}

function AuthorizationRequest({ flow }: { readonly flow: Flow }) {
  const { person, isSent, scope } = flow;
  const uris = useResource<{ readonly redirectUris: readonly string[] }>(redirectUrisPath);
  const [error, setError] = useState<Error>();
  const beginAgain = () => beginFlow(person, scope).then(focusTitle, setError);
  const go = () => {
    changeFlow(flow, () => ({ isSent: true }));
    location.assign(authorizationUrl(flow));
  };
  return (
    <Row
      title="Authorization request"
      way="Your app sends the browser to L-Plate"
      standing={isSent ? 'passed' : 'next'}
    >
      {isSent ? (
        <>
          <p>This tab keeps the state and the code_verifier until the browser is back.</p>
          <Button onPress={beginAgain}>Begin again</Button>
          {error && <Failure error={error} />}
          <details>
            <summary>What was sent</summary>
            <Parameters flow={flow} />
          </details>
        </>
      ) : (
        <>
          <Field
            label="Scopes to ask for"
            mono
            value={scope}
            onInput={(value) => changeFlow(flow, () => ({ scope: value }))}
            about="Separated by spaces. Leave it empty to ask for all that your client may have."
          />
          <Parameters flow={flow} />
          <Show loaded={uris}>
            {({ value }) =>
              value.redirectUris.includes(callback) ? (
                <>
                  <p class="row">
                    <span>
                      At the next page you are {person.name}: the user name is <code>{person.userName}</code>, the
                      password <code>{person.password}</code>.
                    </span>
                    <CopyButton text={person.password} about={`the password of ${person.name}`} />
                  </p>
                  <Button kind="primary" onPress={go}>
                    Go to the sign-in page
                  </Button>
                </>
              ) : (
                <Notice mood="warn">
                  <p>
                    <strong>{callback} is not registered,</strong> so nobody would be sent back to this page.
                  </p>
                  <RegisterConsole onDone={uris.again} />
                </Notice>
              )
            }
          </Show>
        </>
      )}
    </Row>
  );
}

function Parameters({ flow }: { readonly flow: Flow }) {
  return (
    <Members>
      {parametersOf(flow).map(([name, value, purpose]) => (
        <Member key={name} name={name}>
          <code>{value}</code>
          <br />
          {purpose}
        </Member>
      ))}
    </Members>
  );
}

function RedirectBack({ flow, came }: { readonly flow: Flow | undefined; readonly came: Came | undefined }) {
  const row = (standing: RowProps['standing'], children: ComponentChildren) => (
    <Row title="Redirect back" way="L-Plate sends the browser to your app" standing={standing}>
      {children}
    </Row>
  );
  if (!came) {
    const about = 'It brings a code, your state, and who answers. Compare the last two before you use the code.';
    return row('later', <p>{flow?.isSent ? `The browser has not come back yet. ${about}` : about}</p>);
  }
  const { code, error, about, state, iss, isSameState, isSameIssuer } = came;
  const goesOn = codeOf(came) !== undefined;
  return row(
    goesOn ? 'passed' : 'failed',
    <>
      <Compared name="state" value={state} isSame={isSameState}>
        {isSameState
          ? 'It is the one that this tab sent: the redirect belongs to this browser.'
          : 'This tab never sent it: somebody may have put their own code into your session. Your app stops here.'}
      </Compared>
      <Compared name="iss" value={iss} isSame={isSameIssuer}>
        {isSameIssuer
          ? 'It is the issuer in the metadata: the answer is of the server that you asked.'
          : 'It is not the server that you asked. Your app stops here.'}
      </Compared>
      {error !== undefined && (
        <Notice mood="warn">
          <code>
            <Foreign text={error} />
          </code>{' '}
          <Foreign text={about ?? ''} /> No code came. An app says that to the person, and offers to try again.
        </Notice>
      )}
      {goesOn && (
        <p>
          The <code>code</code> has {code?.length} characters. It holds for a minute.
        </p>
      )}
    </>,
  );
}

interface ComparedProps {
  readonly name: string;
  readonly value: string;
  readonly isSame: boolean;
  readonly children: ComponentChildren;
}

function Compared({ name, value, isSame, children }: ComparedProps) {
  return (
    <div>
      <p class="row">
        <code class="value">
          {name} = <Foreign text={value} most={100} />
        </code>
        <Badge mood={isSame ? 'good' : 'bad'}>{isSame ? 'equal' : 'not equal'}</Badge>
      </p>
      <p>{children}</p>
    </div>
  );
}

interface AppCallProps {
  readonly step: Step;
  readonly flow: Flow;
  readonly code: string | undefined;
  /** Whether it is the first that can be made and was not. */
  readonly isNext: boolean;
}

function AppCall({ step, flow, code, isNext }: AppCallProps) {
  const [error, setError] = useState<Error>();
  const { name, title, way, about, button } = step;
  const made = flow.calls[name];
  const canBeMade = step.request(flow, code) !== undefined;
  const proved = made && step.proved(made, flow);
  const problem = made && made.status >= 400 ? problemIn(made.answered) : undefined;
  const standing = made ? (proved ? 'passed' : 'failed') : isNext ? 'next' : 'later';
  const press = async () => {
    setError(undefined);
    await take(step, flow, code).catch(setError);
  };
  return (
    <Row
      title={title}
      way={way}
      standing={standing}
      beside={
        made && (
          <span role="status">
            <span class="unseen">was answered </span>
            <Status status={made.status} />
          </span>
        )
      }
    >
      <p>{about}</p>
      <p class="row">
        <Button {...(isNext && { kind: 'primary' as const })} disabled={!canBeMade} onPress={press}>
          {button}
        </Button>
        {made?.exchange && <a href={`#/traffic/${encodeURIComponent(made.exchange)}`}>Open in Traffic</a>}
      </p>
      {error && <Failure error={error} />}
      {proved && <Notice mood={proved[0]}>{proved[1]}</Notice>}
      {made && problem && !proved && <Failure error={new Refused(made.status, problem)} />}
      {made && (
        <details>
          <summary>What was sent and answered</summary>
          <Code text={made.sent} label={`What was sent: ${title}`} role="group" />
          {made.answered && <Code text={made.answered} label={`What was answered: ${title}`} role="group" />}
        </details>
      )}
    </Row>
  );
}
