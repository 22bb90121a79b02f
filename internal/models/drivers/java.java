import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;

/** ReadURI reads URLs as java.net.URI does. */
public class ReadURI {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        out.println(quote("OpenJDK " + Runtime.version() + ", java.net.URI; refused if the authority has no host; an opaque part divided at its question mark"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(read(unquote(line)));
        }
        out.flush();
    }

    static String read(String text) {
        URI u;
        try {
            u = new URI(text);
        } catch (URISyntaxException e) {
            return "null";
        }
        if (u.getRawAuthority() != null && u.getHost() == null) {
            return "null";
        }
        String user = u.getRawUserInfo(), password = null, path = u.getRawPath(), query = u.getRawQuery();
        if (user != null && user.contains(":")) {
            int colon = user.indexOf(':');
            password = user.substring(colon + 1);
            user = user.substring(0, colon);
        }
        if (u.isOpaque()) {
            path = u.getRawSchemeSpecificPart();
            int mark = path.indexOf('?');
            if (mark >= 0) {
                query = path.substring(mark + 1);
                path = path.substring(0, mark);
            }
        }
        String port = u.getPort() < 0 ? null : Integer.toString(u.getPort());
        String[] parts = {u.getScheme(), user, password, u.getHost(), port, path, query, u.getRawFragment()};
        StringBuilder b = new StringBuilder();
        for (String part : parts) {
            b.append(b.length() == 0 ? "[" : ", ").append(part == null ? "null" : quote(part));
        }
        return b.append("]").toString();
    }

    /** unquote returns the text of a string in JSON, which has no escapes but those of quote and of control characters. */
    static String unquote(String json) {
        StringBuilder b = new StringBuilder();
        for (int i = 1; i < json.length() - 1; i++) {
            char c = json.charAt(i);
            if (c != '\\') {
                b.append(c);
                continue;
            }
            c = json.charAt(++i);
            switch (c) {
                case 'u' -> {
                    b.append((char) Integer.parseInt(json.substring(i + 1, i + 5), 16));
                    i += 4;
                }
                case 'b' -> b.append('\b');
                case 'f' -> b.append('\f');
                case 'n' -> b.append('\n');
                case 'r' -> b.append('\r');
                case 't' -> b.append('\t');
                default -> b.append(c);
            }
        }
        return b.toString();
    }

    static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c < ' ' || c == '"' || c == '\\' || c > '~') {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        return b.append('"').toString();
    }
}
