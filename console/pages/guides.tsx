import { lexer } from 'marked';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Guide, guides } from '../../src/navigation.ts';
import { call } from '../api/call.ts';
import { credentials, origin } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { Show } from '../parts/parts.tsx';
import { useLoad } from '../state/load.ts';
import { route } from '../state/route.ts';
import { adapted, hiddenSecret, type Stop, stopsOf, takesClient } from './guides/guide.ts';
import { elementId, Markdown } from './guides/markdown.tsx';

/** `#/guides`, `#/guides/NAME` and `#/guides/NAME/HEADING`. */
export default function Guides() {
  const [name, heading] = route.value.rest;
  if (!name) return <List />;
  const guide = guides.find((each) => each.name === name || each.formerly === name);
  if (guide) return <GuidePage key={name} guide={guide} heading={heading} />;
  return (
    <Page title="There is no such guide">
      <p>
        <a href="#/guides">See which there are.</a>
      </p>
    </Page>
  );
}

function List() {
  return (
    <Page title="Guides" about="To read beside your terminal. The commands in them have the addresses of this L-Plate.">
      {[...Map.groupBy(guides, ({ group }) => group)].map(([group, those]) => (
        <section key={group} aria-labelledby={group}>
          <h2 id={group}>{group}</h2>
          <ul class="plain tiles">
            {those.map(({ name, title, about }) => (
              <li key={name} class="card">
                <h3>
                  <a href={`#/guides/${name}`}>{title}</a>
                </h3>
                <p class="muted">{about}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Page>
  );
}

function GuidePage({ guide, heading }: { readonly guide: Guide; readonly heading: string | undefined }) {
  const loaded = useLoad(async () => (await call('GET', `/guides/${guide.name}.md`, { as: 'nobody' })).text, [guide]);
  return (
    <Page title={guide.title} actions={<a href="#/guides">All guides</a>}>
      <Show loaded={loaded}>{(markdown) => <Article guide={guide} markdown={markdown} heading={heading} />}</Show>
    </Page>
  );
}

interface ArticleProps {
  readonly guide: Guide;
  readonly markdown: string;
  readonly heading: string | undefined;
}

function Article({ guide, markdown, heading }: ArticleProps) {
  const mine = credentials.value;
  const [own, setOwn] = useState(true);
  const client = own && mine ? { ...mine, clientSecret: hiddenSecret } : undefined;
  const { tokens, stops } = useMemo(() => {
    // The page has the title already.
    const tokens = lexer(adapted(markdown, { origin, client })).filter(
      (token) => token.type !== 'heading' || token.depth > 1,
    );
    return { tokens, stops: stopsOf(tokens) };
  }, [markdown, client?.clientId]);
  useEffect(() => {
    const place = heading && document.getElementById(elementId({ slug: heading }));
    if (!place) return;
    place.scrollIntoView();
    place.focus({ preventScroll: true });
  }, [heading]);
  return (
    <div class="guide">
      <Contents guide={guide} stops={[...stops.values()]} />
      <article class="prose">
        {mine && takesClient(markdown) && (
          <label class="notice note">
            <input type="checkbox" checked={own} onChange={(event) => setOwn(event.currentTarget.checked)} />
            <span>
              Use my client in the commands, so that they count as my calls, in Traffic and for lessons. My secret is
              shown as dots; Copy has it.
            </span>
          </label>
        )}
        <Markdown tokens={tokens} guide={guide} stops={stops} secret={mine?.clientSecret} />
        <Neighbours guide={guide} />
      </article>
    </div>
  );
}

/** Beside the guide where there is room, else above it and closed. */
function Contents({ guide, stops }: { readonly guide: Guide; readonly stops: readonly Stop[] }) {
  if (stops.length < 2) return null;
  return (
    <details class="contents" open={matchMedia('(width >= 80rem)').matches}>
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul class="plain">
          {stops.map(({ slug, text, depth }) => (
            <li key={slug} class={`depth-${depth}`}>
              <a href={`#/guides/${guide.name}/${slug}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

function Neighbours({ guide }: { readonly guide: Guide }) {
  const at = guides.indexOf(guide);
  const [before, after] = [guides[at - 1], guides[at + 1]];
  return (
    <nav class="row ends neighbours" aria-label="Other guides">
      {before ? <a href={`#/guides/${before.name}`}>← {before.title}</a> : <span />}
      {after && <a href={`#/guides/${after.name}`}>{after.title} →</a>}
    </nav>
  );
}
