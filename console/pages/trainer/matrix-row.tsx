import { cellMark, cellText, type MatrixRow } from '../../model/matrix.ts';
import { memo } from '../../parts/memo.ts';
import { LearnerName, learnerPath } from './learner-parts.tsx';

interface LearnerCellsProps {
  readonly row: MatrixRow;
  /** Its place in the whole table, from 0. */
  readonly index: number;
  /** The cell that the tab key goes to, if it is in this row. */
  readonly activeColumn: number | undefined;
}

/** One learner: a cell for each lesson. */
export const LearnerCells = memo(({ row, index, activeColumn }: LearnerCellsProps) => (
  <tr data-row={index} aria-rowindex={index + 3}>
    <th scope="row" title={row.name}>
      <a href={learnerPath(row.clientId)}>
        <LearnerName name={row.name} />
      </a>
    </th>
    {row.cells.map((cell, column) => (
      <td
        key={column}
        class={cell.state === 'open' ? undefined : cell.state}
        aria-label={cell.state === 'open' ? undefined : cellText(cell)}
        tabIndex={column === activeColumn ? 0 : undefined}
      >
        {cellMark(cell)}
      </td>
    ))}
  </tr>
));
