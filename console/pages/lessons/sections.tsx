import { Words } from '../../parts/contained.tsx';
import { sectionOf } from './sections.ts';

/** What of the specification is practised, with where to read about it here. */
export function Sections({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      <h2>Where to read about it</h2>
      <ul class="plain sections">
        {names.map((name) => {
          const section = sectionOf(name);
          return <li key={name}>{section ? <a href={section.href}>{section.means}</a> : <Words text={name} />}</li>;
        })}
        <li>
          <a href="/docs">The whole reference</a>
        </li>
      </ul>
    </>
  );
}
