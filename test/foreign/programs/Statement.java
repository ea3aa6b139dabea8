import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;

/**
 * Reads a statement in CSV. Arguments: the file, and its format. Prints the count and the sums, in cents, of its rows and of
 * its trailer as one line of JSON.
 */
class Statement {
    public static void main(String[] args) throws Exception {
        var is1252 = args[1].equals("csv-1252");
        var format = CSVFormat.RFC4180.builder().setDelimiter(is1252 ? ';' : ',').get();
        var charset = Charset.forName(is1252 ? "windows-1252" : "UTF-8");
        try (var parser = CSVParser.parse(Files.newBufferedReader(Path.of(args[0]), charset), format)) {
            var lines = parser.getRecords();
            var premiums = BigDecimal.ZERO;
            var commissions = BigDecimal.ZERO;
            for (var row : lines.subList(1, lines.size() - 1)) {
                premiums = premiums.add(amount(row.get(5)));
                commissions = commissions.add(amount(row.get(6)));
            }
            var trailer = lines.get(lines.size() - 1);
            System.out.printf("[[%d,%s,%s],[%s,%s,%s]]%n", lines.size() - 2, cents(premiums), cents(commissions),
                trailer.get(1), cents(amount(trailer.get(2))), cents(amount(trailer.get(3))));
        }
    }

    static BigDecimal amount(String text) {
        return new BigDecimal(text.replace(',', '.'));
    }

    static String cents(BigDecimal amount) {
        return amount.movePointRight(2).toBigIntegerExact().toString();
    }
}
