import { useMemo } from 'preact/hooks';
import { utf8 } from '../../../src/text/bytes.ts';
import { counted } from '../../../src/text/counted.ts';
import { type DumpRow, dump } from '../../model/hex-dump.ts';
import { unseen } from './body.ts';

/** The bytes of a text in UTF-8, with what one does not see. */
export function Dump({ text, label }: { readonly text: string; readonly label: string }) {
  const bytes = useMemo(() => utf8(text), [text]);
  const { rows, leftAt, left } = useMemo(() => dump(bytes), [bytes]);
  return (
    <>
      <p class="small">
        {counted(bytes.length, 'byte')}. {unseen(text).join(' ')}
      </p>
      {bytes.length > 0 && (
        // biome-ignore lint/a11y: a region that scrolls, and a section can't be a pre
        <pre class="body-text table dump" tabIndex={0} role="region" aria-label={label}>
          {rows.map((row, index) => (
            <>
              {index === leftAt && <div class="muted">… {left} rows of 16 bytes more …</div>}
              <Row key={row.offset} {...row} />
            </>
          ))}
        </pre>
      )}
    </>
  );
}

function Row({ offset, bytes }: DumpRow) {
  const gap = '   '.repeat(16 - bytes.length);
  return (
    <div>
      <span class="muted">{offset} </span>
      {bytes.map(({ hex, mark }, at) => (
        <>
          {' '}
          {mark ? (
            <mark key={at} class={mark}>
              {hex}
            </mark>
          ) : (
            hex
          )}
        </>
      ))}
      {`${gap}  `}
      {bytes.map(({ text, mark }, at) =>
        mark ? (
          <mark key={at} class={mark}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </div>
  );
}
