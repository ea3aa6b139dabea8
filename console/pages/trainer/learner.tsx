import { call, read } from '../../api/call.ts';
import type { LearnerProfile } from '../../api/types.ts';
import { isShared, nameOf } from '../../model/class.ts';
import { counted, howLong } from '../../model/elapsed.ts';
import { Words } from '../../parts/foreign.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, CopyButton, Notice, Show, Time } from '../../parts/parts.tsx';
import { classRows } from '../../state/class.ts';
import { useEvery, useLoad } from '../../state/load.ts';
import { ClockControl } from './clock-control.tsx';
import { DrillsControl } from './drills-control.tsx';
import { LearnerControl } from './learner-control.tsx';
import { LearnerLessons } from './learner-lessons.tsx';
import { LearnerNickname } from './learner-nickname.tsx';
import { LearnerCall, LearnerSilence, LearnerWarnings } from './learner-parts.tsx';
import { LearnerTraffic } from './learner-traffic.tsx';
import { ResetControl } from './reset-control.tsx';
import { useWork } from './use-work.ts';

const again = 5000;

/** One learner: who it is, how far it got, what it calls, and its clock and drills. */
export function LearnerPage({ clientId }: { readonly clientId: string }) {
  const path = `/range/v1/trainer/learners/${encodeURIComponent(clientId)}`;
  const profile = useLoad(() => read<LearnerProfile>(path, { as: 'trainer' }), [path]);
  useEvery(again, profile.again);
  const name = profile.value ? profile.value.shownName : nameOf({ clientId, nickname: null });
  return (
    <Page
      title={name}
      actions={
        <a class="button small" href="#/trainer/class">
          Back to the class
        </a>
      }
    >
      <Show loaded={profile}>
        {(value) => (
          <>
            {!isShared(clientId) && (
              <div class="class-head">
                <LearnerNickname clientId={clientId} nickname={value.nickname} onNamed={profile.again} />
              </div>
            )}
            {value.help && <NeedsHelp profile={value} onHelped={profile.again} />}
            <Silent clientId={clientId} />
            {value.warnings.length > 0 && (
              <Notice mood="warn">
                <LearnerWarnings warnings={value.warnings} />
              </Notice>
            )}
            <Profile profile={value} />
            {!isShared(clientId) && <LearnerControl key={clientId} profile={value} onChanged={profile.again} />}
            <LearnerLessons clientId={clientId} />
            <h2>Traffic</h2>
            <LearnerTraffic
              live
              path={`${path}/exchanges`}
              empty="This learner has no calls in the log of the last day."
            />
            {!isShared(clientId) && (
              <div class="columns">
                <DrillsControl clientId={clientId} name={name} />
                <div>
                  <ClockControl clientId={clientId} onMoved={profile.again} />
                  <ResetControl clientId={clientId} name={name} onReset={profile.again} />
                </div>
              </div>
            )}
          </>
        )}
      </Show>
    </Page>
  );
}

/** What a learner asked for, and that it was helped. */
function NeedsHelp({
  profile: { clientId, help },
  onHelped,
}: {
  readonly profile: LearnerProfile;
  readonly onHelped: () => void;
}) {
  const work = useWork();
  const end = async () => {
    await call('DELETE', `/range/v1/trainer/learners/${encodeURIComponent(clientId)}/help`, { as: 'trainer' });
    onHelped();
    return 'Helped.';
  };
  if (!help) return null;
  return (
    <Notice mood="warn">
      <p class="row">
        <span>
          <strong>Asked for help</strong> at <Time at={help.at} />: <Words text={help.message} />
        </span>
        <Button small onPress={() => work.attempt(end)}>
          Helped
        </Button>
      </p>
    </Notice>
  );
}

function Silent({ clientId }: { readonly clientId: string }) {
  const { silent, resetFor = '' } = classRows.value.get(clientId) ?? {};
  if (!silent) return null;
  return (
    <Notice mood="warn">
      <LearnerSilence silent={silent} resetFor={resetFor} />
    </Notice>
  );
}

function Profile({ profile }: { readonly profile: LearnerProfile }) {
  const { clientId, firstSeenAt, lastSeenAt, lastCall, calls, refusals, lastProblem, owns, clock } = profile;
  const { callsWithoutToken, refusalsWithoutToken } = profile;
  return (
    <dl class="columns learner-facts">
      <div>
        <dt>Client</dt>
        <dd class="row">
          <code>{clientId}</code> <CopyButton text={clientId} />
        </dd>
      </div>
      <div>
        <dt>First call</dt>
        <dd>
          <Time at={firstSeenAt} withDate />
        </dd>
      </div>
      <div>
        <dt>Last call</dt>
        <dd>
          <Time at={lastSeenAt} withDate />
        </dd>
      </div>
      {lastCall && (
        <div>
          <dt>Last call of its own</dt>
          <dd>
            <LearnerCall call={lastCall} withDate />
          </dd>
        </div>
      )}
      <div>
        <dt>Calls</dt>
        <dd>
          {counted(calls + callsWithoutToken, 'call')}, {refusals + refusalsWithoutToken} refused
          {lastProblem && (
            <>
              , last problem <code>{lastProblem}</code>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Owns</dt>
        <dd>
          {counted(owns.policies, 'policy', 'policies')}, {counted(owns.claims, 'claim')},{' '}
          {counted(owns.subscriptions, 'subscription')}
        </dd>
      </div>
      <div>
        <dt>Clock</dt>
        <dd>
          {clock.aheadSeconds === 0 ? (
            'In the present'
          ) : (
            <>
              <Time at={clock.now} withDate />, {howLong(clock.aheadSeconds)} ahead
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}
