package export;

import java.io.BufferedWriter;
import java.io.FileWriter;
import java.io.IOException;
import java.util.Iterator;

/** Writes rows as CSV. */
public final class Exporter {
    private final String path;

    public Exporter(String path) {
        this.path = path;
    }

    public int write(Iterator<Row> rows) throws IOException {
        BufferedWriter out = new BufferedWriter(new FileWriter(path));
        int written = 0;
        while (rows.hasNext()) {
            Row row = rows.next();
            out.write(row.name() + "," + row.count() + "\n");
            written++;
        }
        if (written == 0) {
            return 0;
        }
        out.close();
        return written;
    }
}
