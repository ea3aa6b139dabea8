import { Foreign } from '../../parts/contained.tsx';

/** What is to be known of a field, below it. */
export function FieldText({ id, text }: { readonly id?: string; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <span class="oddity" id={id}>
      <Foreign text={text} />
    </span>
  );
}
