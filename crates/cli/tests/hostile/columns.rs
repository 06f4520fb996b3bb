//! Data, references and tables.

use super::{ROD, TINY, attack, here, laboratory, refused, write};

#[test]
fn strange_tables_of_numbers_are_refused() {
    let wide = format!("x,{}u\n", "a,".repeat(20_000));
    let (_outside, folder) = here();
    for (content, complaint) in [
        (&b""[..], "has no rows of numbers"),
        (b"x,u\n", "has no rows of numbers"),
        (b"x,u\n0\n", "1 values for 2 columns"),
        (b"x,u\n0,0,0\n", "3 values for 2 columns"),
        (b"x,u\n0,nan\n", "has no value of `u` in any row"),
        (b"x,u\n0,inf\n", "is not a finite number"),
        (b"x,u\n0,1e999\n", "is not a finite number"),
        (b"x,u\n0,0x10\n", "is not a finite number"),
        (b"x,u\n0,1_000\n", "is not a finite number"),
        (b"u,u\n0,0\n", "there is no column `x`"),
        (b"x\n0\n", "there is no column `u`"),
        (b"x,u\n\"0,0\n", ""),
        (b"x,u\n\0,0\n", ""),
        (b"x,u\xff\n0,0\n", "not UTF-8"),
        (wide.as_bytes(), "has no rows of numbers"),
        (b"x,u,w\n0,0,0\n", "columns = { u = \"w\" }"),
    ] {
        laboratory(&folder);
        write(&folder, "measured.csv", content);
        refused(&folder, &format!("solve rod.toml {TINY}"), complaint);
    }
}

#[test]
fn columns_of_words_are_in_nobodys_way_and_columns_have_other_names() {
    let (_outside, folder) = here();
    laboratory(&folder);
    write(&folder, "measured.csv", "who;position;temperature;remark\n\"me; myself\";0;0;\nyou;0.5;0.4;windy\n");
    write(&folder, "exact.csv", "name,x,T\na,0,0\nb,0.5,0.405\nc,1,NaN\n");
    let data = "file = \"measured.csv\"\ncolumns = { x = \"position\", u = \"temperature\" }";
    let text = ROD.replace("file = \"measured.csv\"", data);
    let text = text.replace("file = \"exact.csv\"", "file = \"exact.csv\"\ncolumns = { u = \"T\" }");
    write(&folder, "rod.toml", text);
    let finished = attack(&folder, &format!("solve rod.toml {TINY}"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}
