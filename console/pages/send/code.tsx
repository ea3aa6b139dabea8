import { languages, type MadeRequest, requestCode } from '../../model/request-code.ts';
import { Code } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useKept } from '../../state/kept.ts';

/** The same call as a program, to be copied before it is sent. */
export function AsCode({ request }: { readonly request: MadeRequest }) {
  const [language, setLanguage] = useKept<(typeof languages)[number][0]>('send.language', 'curl');
  const text = requestCode(language, request);
  const variables = [...new Set(text.match(/\bTOKEN\b|\bCLIENT_SECRET\b/g))];
  return (
    <details>
      <summary>As code</summary>
      <Tabs label="Languages" tabs={languages} chosen={language} onChoose={setLanguage}>
        <Code text={text} label={`The call as code: ${language}`} role="group" />
        {variables.length > 0 && (
          <p class="muted small">
            Set the variable{' '}
            {variables.map((name) => (
              <code key={name}>{name} </code>
            ))}
            first: <a href="#/">Start</a> shows how to get what stands in it.
          </p>
        )}
      </Tabs>
    </details>
  );
}
