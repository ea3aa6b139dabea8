import { credentials, origin } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { connection, isKnown } from '../state/learner.ts';
import { OwnInsurerCard } from './lessons/own-insurer-card.tsx';
import { Addresses } from './start/addresses.tsx';
import { Assistant } from './start/assistant.tsx';
import { Client } from './start/client.tsx';
import { FirstCalls } from './start/first-calls.tsx';
import { FirstVisit } from './start/first-visit.tsx';
import { ImportFiles } from './start/import-files.tsx';
import { LastRefusals } from './start/last-refusals.tsx';
import { NextLesson } from './start/next-lesson.tsx';
import { AskNickname } from './start/nickname.tsx';
import { SinceThen } from './start/since-then.tsx';

export function Start() {
  const client = credentials.value;
  // Of a client that is gone the top of the page says so; what is left to do is what a first visit does.
  if (!client || connection.value === 'gone') return <FirstVisit />;
  const inputs = { origin, ...client };
  return (
    <Page title="Start">
      <div class={isKnown.value ? 'start' : 'start unseen'} key={client.clientId}>
        <div class="columns actions">
          <div>
            <SinceThen />
            <NextLesson />
            <AskNickname clientId={client.clientId} />
            <LastRefusals />
            <OwnInsurerCard />
          </div>
          <Client client={client} />
        </div>
        <FirstCalls inputs={inputs} />
        <ImportFiles client={client} />
        <Assistant />
        <Addresses clientId={client.clientId} />
      </div>
    </Page>
  );
}
