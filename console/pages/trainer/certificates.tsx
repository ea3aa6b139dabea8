import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { read } from '../../api/call.ts';
import type { SignedCertificate } from '../../api/types.ts';
import { compareNames } from '../../model/need.ts';
import { Paper } from '../../parts/certificate.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, Failure, Field, LoadingPart } from '../../parts/parts.tsx';
import { classRows, sight } from '../../state/class.ts';

const keptKey = 'lplate.certificates';
const maxCharacters = 80;

interface Names {
  readonly course: string;
  readonly trainer: string;
}

/** The certificates of all who have solved something, to be printed at once. */
export function Certificates() {
  const [names, setNames] = useState(keptNames);
  const change = (changed: Partial<Names>) => {
    const next = { ...names, ...changed };
    localStorage.setItem(keptKey, JSON.stringify(next));
    setNames(next);
  };
  const { certificates, of, error, again } = useCertificates();
  const ready = certificates.length === of && !error;
  return (
    <Page
      title="Certificates"
      about="One page of A4 for each learner who has solved a lesson. What you type here stands on all of them, and this browser keeps it. To save them, choose PDF as the printer."
      actions={
        <a class="button small" href="#/trainer/controls">
          Back to the controls
        </a>
      }
    >
      <div class="columns">
        <Field
          label="Course"
          value={names.course}
          onInput={(text) => change({ course: text.slice(0, maxCharacters) })}
          placeholder="API integration, spring 2026"
          about="May be empty."
        />
        <Field
          label="Trainer"
          value={names.trainer}
          onInput={(text) => change({ trainer: text.slice(0, maxCharacters) })}
          about="Your name, below a line to sign on. May be empty."
        />
      </div>
      {error && <Failure error={error} onAgain={again} />}
      {of === undefined && <LoadingPart />}
      {of === 0 && <p class="muted">Nobody has solved a lesson yet.</p>}
      {of !== undefined && of > 0 && (
        <p class="row">
          <Button kind="primary" disabled={!ready} onPress={() => print()}>
            {`Print certificates of all (${of})`}
          </Button>
          <span class="muted small" role="status">
            {ready ? `${counted(of, 'page')}.` : `${certificates.length} of ${of} loaded`}
          </span>
        </p>
      )}
      <div class="certificates">
        {certificates.map(({ certificate }) => (
          <Paper
            key={certificate.sub}
            certificate={certificate}
            course={names.course.trim()}
            trainer={names.trainer.trim()}
          />
        ))}
      </div>
    </Page>
  );
}

/** Those who have one when the class was first seen, by name. */
function useCertificates() {
  const [certificates, setCertificates] = useState<readonly SignedCertificate[]>([]);
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  const isSeen = sight.value.since !== undefined;
  const [ids, setIds] = useState<readonly string[]>();
  useEffect(() => {
    if (!isSeen) return;
    const learners = [...classRows.peek().values()].filter(({ need, solved }) => need !== 'shared' && solved > 0);
    const wanted = learners.sort(compareNames).map(({ clientId }) => clientId);
    let left = false;
    const load = async () => {
      const loaded: SignedCertificate[] = [];
      for (const id of wanted) {
        const path = `/range/v1/trainer/learners/${encodeURIComponent(id)}/certificate`;
        loaded.push(await read<SignedCertificate>(path, { as: 'trainer' }));
        if (left) return;
        setCertificates([...loaded]);
      }
    };
    setError(undefined);
    setCertificates([]);
    setIds(wanted);
    load().catch((reason) => !left && setError(reason));
    return () => {
      left = true;
    };
  }, [isSeen, round]);
  return { certificates, of: ids?.length, error, again: () => setRound(round + 1) };
}

function keptNames(): Names {
  try {
    const { course, trainer } = JSON.parse(localStorage.getItem(keptKey) ?? '{}');
    return { course: textOf(course), trainer: textOf(trainer) };
  } catch {
    // Not ours. What is typed next replaces it.
    return { course: '', trainer: '' };
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxCharacters) : '');
